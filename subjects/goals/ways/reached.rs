//! The way to every goal, by hand.
//!
//! Contracts are checked, so a call that returns has met its precondition, and so
//! have all the calls before it.

use std::collections::BTreeSet;

use subject_goals::*;
use testsmith::contracts::{Kind, violation_of};

fn numbers() -> Vec<u8> {
    let a = (0..=u16::MAX).find(|a| a.wrapping_mul(40_505) == 12_345).unwrap();
    let deep = (i64::MIN + 1001..i64::MIN + 100_000).find(|n| n % 99_991 == -3).unwrap();
    vec![
        numbers::masked(0xdead_beef_1234 ^ 0x5a5a_5a5a_5a5a),
        numbers::sum_and_difference(2_188_888_889, 2_111_111_112),
        numbers::wrapped(a, a.wrapping_mul(40_504)),
        numbers::opposed(-77_777 - 1_010_000, 1_010_000),
        numbers::grouped(987_456_123),
        numbers::overflowed(2_149_190_358, 2_146_048_766),
        numbers::deep(deep),
    ]
}

fn fields() -> Vec<u8> {
    let window = |from, to, step| {
        let mut window = Window::new();
        window.set_from(from);
        window.set_to(to);
        window.set_step(step);
        window
    };
    let scale = |left: &[u16], right: &[u16]| {
        let mut scale = Scale::new();
        left.iter().for_each(|weight| scale.load_left(*weight));
        right.iter().for_each(|weight| scale.load_right(*weight));
        scale
    };
    vec![
        window(2_000_000, 2_065_537, 1).at_distance(),
        window(5, 5 + 37 * 2000, 2000).divided(),
        window(2017, !2017, 1).mirrored(),
        scale(&[60_000, 41_001], &[50_001, 51_000]).balanced(),
        scale(&[60_000, 24_242], &[40_000, 40_000]).tipped(),
        scale(&[60_000], &[40_000]).in_proportion(),
    ]
}

fn counts() -> Vec<u8> {
    let mut lock = Lock::new();
    (0..8).for_each(|turn| lock.turn(turn * 31 + 1007));
    let mut again = Lock::new();
    (0..3).for_each(|turn| again.turn(turn * 31 + 1007));
    again.reset();
    again.turn(1007);
    let mut high = Tower::new();
    (0..7).for_each(|block| high.put(60_000 - 100 * block + block));
    let mut pointed = Tower::new();
    [60_000, 50_001, 40_002, 30_003, 2004].into_iter().for_each(|width| pointed.put(width));
    let mut lift = Lift::new();
    (0..10).for_each(|_| lift.up(lift.floor() + 1));
    let top = lift.at_the_top();
    let mut back = Lift::new();
    (0..8).for_each(|_| back.up(back.floor() + 1));
    back.down(127);
    back.up(129);
    vec![lock.turned(), again.begun_again(), high.high(), pointed.pointed(), top, back.in_between()]
}

fn texts() -> Vec<u8> {
    let mut badge = Badge::new();
    badge.stamp("QWERTZ");
    badge.stamp("ZXCVBN");
    vec![
        texts::spoken("open qaraj, please"),
        texts::article("ART-00470011004700110"),
        texts::numeric(&"7".repeat(37)),
        texts::with_a_sign("someone@xy"),
        texts::extended("CAPITAL", "CAPITAList"),
        badge.admitted(),
        badge.greeted("ZXCVBN-ok"),
    ]
}

fn variants() -> Vec<u8> {
    let armed = |code, guesses: u16| {
        let mut trigger = Trigger::new();
        trigger.arm(code);
        (1..=guesses).for_each(|guess| trigger.guess(code + 100 * guess));
        trigger
    };
    let mut fired = armed(2000, 0);
    fired.fire(2000, 90_210);
    let mut misfired = armed(2000, 0);
    misfired.misfire(3_150);
    let mut drawer = Drawer::new();
    drawer.fill(4_000_000);
    drawer.slide();
    drawer.fill(5_000_000);
    vec![
        armed(4711, 1).armed(),
        armed(5777, 3).guessed_at(),
        fired.fired(),
        misfired.misfired(150 * 1_000_003),
        drawer.both(),
        variants::wrapped(Some(Ok(54_321 ^ 0x0ff0))),
    ]
}

fn protocol() -> Vec<u8> {
    let trusted = |seed: u16| {
        let mut link = Link::new();
        link.open(seed);
        link.authenticate(link.challenge() ^ 0x5a5a);
        link
    };
    let seed = (1..=u16::MAX).find(|seed| seed.wrapping_mul(31) == 0x1234).unwrap();
    let mut link = trusted(1);
    link.select(102);
    link.send(2000);
    link.send(1000);
    let mut vault = Vault::new();
    vault.set_first(20_321);
    vault.set_second(21_555);
    let half_open = vault.half_open();
    vault.set_third(21_555 ^ 0x00ff);
    let unlocked = vault.unlocked();
    [50, 50, 20].into_iter().for_each(|bars| vault.store(bars));
    vec![
        trusted(23).greeted(),
        link.on_channel(),
        link.delivered(),
        trusted(seed).challenged(),
        half_open,
        unlocked,
        vault.filled(),
    ]
}

fn pairs() -> Vec<u8> {
    let account = |owner, deposits: &[i64]| {
        let mut account = Account::new(owner);
        deposits.iter().for_each(|amount| account.deposit(*amount));
        account
    };
    let mut drawer = account(7, &[10_000, 10_000]);
    let first = drawer.write(200);
    drawer.write(300);
    let third = drawer.write(600);
    let mut generous = account(10, &[10_000]);
    let cheques = [100, 100, 1777].map(|amount| generous.write(amount));
    let other = account(8, &[3554]);
    let mut short = account(9, &[10_000, 237]);
    let cheque = short.write(5137);
    let heavy = |owner| account(owner, &[10_000, 2346]);
    vec![
        other.halved_by(&cheques[2]),
        short.short_of(&cheque),
        pairs::ahead(&account(1, &[9000, 8000]), &account(2, &[9000, 7000])),
        pairs::together(&account(1001, &[4999]), &account(1002, &[5000])),
        pairs::risen(&first, &third),
        pairs::level(&heavy(5), &heavy(6), &heavy(7)),
    ]
}

fn sequences() -> Vec<u8> {
    let track = |marks: &[u32]| {
        let mut track = Track::new();
        marks.iter().for_each(|mark| track.add(*mark));
        track
    };
    vec![
        sequences::ordered(&[5, 6, 7, 8, 9, 1_000_005]),
        sequences::holding(vec![1_999_999, 1, 1, 2_000_000, 1], 2_000_000),
        sequences::repeated(vec![6_000_185; 4], 6_000_185),
        track(&[400, 800, 1200, 1700]).listed(&[400, 800, 1200, 1700]),
        track(&[500, 999, 1234]).passed(),
    ]
}

#[test]
fn every_goal_is_reached_once() {
    let ways = [numbers, fields, counts, texts, variants, protocol, pairs, sequences];
    let reached: Vec<u8> = ways.iter().flat_map(|way| way()).collect();
    assert_eq!(reached.len(), 50);
    let different: BTreeSet<u8> = reached.into_iter().collect();
    assert_eq!(different, (1..=50).collect());
}

#[test]
fn a_goal_is_refused_where_it_does_not_hold() {
    let violation = violation_of(|| Lock::new().turned()).unwrap();
    assert_eq!((violation.kind, violation.depth), (Kind::Requires, 0));
}
