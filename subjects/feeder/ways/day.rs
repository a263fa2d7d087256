//! A working day of the feeder, with contracts on: none of them breaks, and what
//! comes out is what a reader of the contracts expects.

use subject_feeder::clock::LATEST;
use subject_feeder::schedule::DAY;
use subject_feeder::*;
use testsmith::contract_trait;
use testsmith::contracts::{Kind, violation_of};

fn name(text: &str) -> StreamName {
    StreamName::new(text)
}

fn clip(text: &str, frames: u32) -> Clip {
    Clip::new(name(text), frames, 5)
}

fn ladder() -> Ladder {
    let mut ladder = Ladder::new();
    for kbps in [100, 400, 2000, 9000] {
        ladder.add(Bitrate::new(kbps));
    }
    ladder
}

fn endpoint() -> Endpoint {
    Endpoint::new(Scheme::Rtp, "localhost", 60_000, Bitrate::new(4000))
}

fn feeder(role: Role) -> Feeder {
    let mut playlist = Playlist::new();
    playlist.add(clip("news", 20));
    playlist.add(clip("weather", 10));
    Feeder::new(Credentials::new("ada", role), playlist, Hub::new(2))
}

#[test]
fn names_and_addresses_say_what_they_are() {
    let live = StreamName::live("goal");
    assert!(live.is_live() && !name("goal").is_live());
    assert_eq!(live.recorded(), name("goal"));
    let line = Bitrate::new(800);
    let parsed = Endpoint::parse("rtmp://example.org", line).unwrap();
    assert_eq!(
        (parsed.scheme(), parsed.host(), parsed.port()),
        (Scheme::Rtmp, "example.org", 1935)
    );
    assert_eq!(parsed.capacity(), line);
    for bad in ["ftp://example.org", "rtp://", "rtp://a b"] {
        assert_eq!(Endpoint::parse(bad, line), Err(FeedError::BadAddress));
    }
    let mut local = endpoint();
    local.use_control_port();
    assert_eq!(local.port(), 60_001);
    local.open_locally();
    assert_eq!((local.port(), local.capacity().kbps()), (5004, 50_000));
    assert_eq!(FeedError::NoSuchClip("x".to_owned()).to_string(), "no clip is called x");
    assert_eq!(FeedError::Overloaded { limit: 5 }.limit(), Some(5));
    assert_eq!(FeedError::Ended.limit(), None);
}

#[test]
fn quality_follows_the_line() {
    let ladder = ladder();
    assert!(ladder.is_complete());
    assert_eq!(ladder.best(Bitrate::new(2500)), Some(Level::High));
    assert_eq!(ladder.best(Bitrate::new(64)), None);
    assert_eq!(ladder.rate(Level::Low).map(|rate| rate.scaled(80).kbps()), Some(80));
    let mut encoder = LadderEncoder::new(name("enc"), ladder, Bitrate::new(2500));
    assert_eq!((encoder.level(), encoder.can_raise()), (Level::High, false));
    encoder.lower();
    encoder.raise();
    encoder.set_limit(Bitrate::new(100));
    assert_eq!((encoder.level(), encoder.limit().kbps()), (Level::Low, 100));
    let key = Packet::new(0, 0, Payload::Video { frame: 0, key: true });
    assert_eq!(encoder.encode(&key), Err(FeedError::Overloaded { limit: 100 }));
    let change = Packet::new(1, 40, Payload::Video { frame: 1, key: false });
    assert_eq!(encoder.encode(&change), Ok(50));
    assert_eq!(encoder.encoded(), 50);
    let mut plain = Passthrough::new(Level::Low);
    assert_eq!((plain.encode(&key), plain.encode(&key)), (Ok(1000), Ok(1000)));
    plain.reset();
    assert!(plain.is_called("passthrough") && plain.encoded() == 0);
}

#[test]
fn clocks_tell_the_time() {
    let mut clock = ManualClock::at(86_400_000);
    clock.advance(7);
    assert_eq!((clock.now(), clock.since(86_400_000)), (86_400_007, 7));
    clock.back_to_midnight();
    let mut ahead = OffsetClock::new(OffsetClock::new(clock, 5), 10);
    ahead.slow_down(4);
    assert_eq!((ahead.now(), ahead.ahead(), ahead.inner().now()), (86_400_011, 6, 86_400_005));
    assert!(violation_of(|| ManualClock::at(LATEST + 1)).is_some());
}

#[test]
fn clips_are_wound_cut_and_joined() {
    let mut clip = clip("film", 20);
    for _ in 0..10 {
        clip.next_packet();
    }
    assert!(clip.is_at_key());
    let tail = clip.cut();
    assert_eq!((clip.frames(), clip.remaining(), tail.frames()), (10, 0, 10));
    clip.append(&tail);
    clip.rewind();
    clip.seek(20);
    assert!(clip.is_exhausted() && violation_of(|| clip.next_packet()).is_some());
    let mut pattern = TestPattern::new(3);
    assert_eq!(pattern.next_packet().payload().size(), 64);
    assert!(pattern.next_packet().payload().is_key());
}

#[test]
fn packets_wait_in_queues() {
    let mut queue = Queue::new(4);
    let mut clip = clip("film", 6);
    clip.seek(3);
    assert_eq!(queue.fill_from(&mut clip, 4), 3);
    queue.skip_to_key();
    assert_eq!(queue.len(), 1);
    queue.push(Packet::new(9, 0, Payload::Marker("ADVERT".to_owned())));
    let mut second = Queue::new(2);
    queue.drain_into(&mut second);
    assert!(queue.is_empty() && second.is_full() && second.room() == 0);
    assert_eq!(second.pop().sequence(), 5);
    assert_eq!(second.pop().caption(), "advert 9");
    let mut end = Packet::new(1, 0, Payload::End);
    end.mark("LOGO");
    assert_eq!(end.payload().sign(), Some("LOGO"));
    assert!(!second.contains(&end) && second.front().is_none());
}

#[test]
fn a_day_is_planned_without_gaps() {
    let mut slot = Slot::new(0, DAY, name("news"));
    let mut rest = slot.split(40_000);
    let last = rest.split(50_000);
    assert!(!slot.overlaps(&rest));
    rest.join(&last);
    assert_eq!((rest.duration(), rest.end()), (46_400, DAY));
    let mut schedule = Schedule::new();
    schedule.add(rest);
    schedule.add(slot.clone());
    assert_eq!(schedule.certificate(), "2 slots of the day");
    assert_eq!(schedule.at(40_000).map(Slot::start), Some(40_000));
    assert_eq!(schedule.cancel(39_999), slot);
    assert_eq!((schedule.size(), schedule.planned()), (1, 46_400));
}

#[test]
fn a_session_goes_from_closed_to_closed() {
    let encoder = LadderEncoder::new(name("enc"), ladder(), Bitrate::new(2500));
    let mut session = ClipSession::new(clip("film", 12), encoder, endpoint());
    let mut clock = ManualClock::at(100);
    session.open("tok-0042");
    session.start(&clock);
    assert_eq!(
        (session.feed(5), session.feed(10), session.feed(1)),
        (Ok(5), Ok(7), Err(FeedError::Ended))
    );
    session.replay(3);
    clock.advance(10);
    session.pause(Reason::Viewer, &clock);
    assert_eq!(session.phase().since(), Some(110));
    session.resume();
    session.pause(Reason::Buffer { missing: 3 }, &clock);
    session.lower_quality();
    session.refill(4);
    session.pause(Reason::Maintenance, &clock);
    session.move_to(Endpoint::parse("hls://b", Bitrate::new(64)).unwrap());
    session.start(&clock);
    session.stop();
    session.close();
    assert_eq!((session.phase(), session.fed()), (Phase::Closed, 12));
    assert_eq!((session.source().position(), session.encoder().level()), (3, Level::Medium));
    assert_eq!(session.endpoint().port(), 8080);
}

/// A subscriber as a user of the feeder would write it.
struct Screen {
    received: u32,
    credit: u32,
}

#[contract_trait]
impl Named for Screen {
    fn name(&self) -> &str {
        "screen"
    }
}

#[contract_trait]
impl Subscriber for Screen {
    fn shows(&self, level: Level) -> bool {
        level <= Level::High
    }

    fn received(&self) -> u32 {
        self.received
    }

    fn credit(&self) -> u32 {
        self.credit
    }

    fn deliver(&mut self, _: &Packet) {
        self.received += 1;
        self.credit -= 1;
    }
}

#[test]
fn the_hub_knows_its_guests() {
    let mut hub = Hub::new(3);
    let first = hub.invite("guest.ada", Level::Low);
    let second = hub.invite("guest.bob", Level::High);
    let mut screen = Screen { received: 0, credit: 2 };
    let third = hub.subscribe(&screen, Level::High);
    assert_eq!((first.number(), second.holder(), third.level()), (1, "guest.bob", Level::High));
    let better = hub.upgrade(&second);
    hub.hand(&Packet::new(0, 0, Payload::End), &mut screen);
    assert_eq!((screen.received(), screen.credit()), (1, 1));
    assert!(hub.honours(&better) && !hub.honours(&second));
    hub.leave(&first);
    assert_eq!((hub.size(), hub.issued(), hub.capacity()), (2, 3, 3));
    assert!(violation_of(|| hub.leave(&first)).is_some());
}

/// A live source as a user of the feeder would write it.
struct Camera {
    connected: bool,
    position: u32,
}

#[contract_trait]
impl Named for Camera {
    fn name(&self) -> &str {
        "live-camera"
    }
}

#[contract_trait]
impl Source for Camera {
    fn position(&self) -> u32 {
        self.position
    }

    fn is_exhausted(&self) -> bool {
        self.position == 100
    }

    fn next_packet(&mut self) -> Packet {
        self.position += 1;
        Packet::new(self.position - 1, 0, Payload::Video { frame: self.position, key: true })
    }
}

#[contract_trait]
impl LiveSource for Camera {
    fn is_connected(&self) -> bool {
        self.connected
    }

    fn latency_ms(&self) -> u32 {
        0
    }

    fn reconnect(&mut self) -> bool {
        self.connected = true;
        true
    }
}

#[test]
fn the_feeder_airs_what_is_planned() {
    let mut feeder = feeder(Role::Admin { pin: 4711 });
    feeder.plan(Slot::new(100, 200, name("weather")));
    feeder.air(&ManualClock::at(150_000));
    assert_eq!(feeder.on_air(), Some("weather"));
    assert_eq!(feeder.playlist().current_index(), 1);
    let mut source = clip("weather", 10);
    for _ in 0..4 {
        feeder.pump(&mut source);
    }
    feeder.flush();
    assert_eq!((feeder.sent(), feeder.waiting()), (4, 0));
    feeder.off_air();
    feeder.reset();
    feeder.hand_over(4711, Credentials::new("bob", Role::Operator));
    assert_eq!((feeder.owner().user(), feeder.owner().unlocks(4711)), ("bob", false));
    assert_eq!((feeder.schedule().size(), feeder.hub().size()), (1, 0));
    let mut camera = Camera { connected: false, position: 0 };
    let violation = violation_of(|| feeder.go_live(&camera)).unwrap();
    assert_eq!(
        (violation.kind, violation.clause.message.as_deref()),
        (Kind::Requires, Some("too far behind"))
    );
    assert!(camera.reconnect());
    feeder.go_live(&camera);
    feeder.pump(&mut camera);
    assert_eq!((feeder.on_air(), feeder.waiting()), (Some("live-camera"), 1));
}

#[test]
fn a_playlist_goes_round() {
    let mut playlist = feeder(Role::Operator).playlist().clone();
    playlist.wind(20);
    playlist.advance();
    playlist.begin_again();
    assert_eq!(playlist.jump_to("films"), Err(FeedError::NoSuchClip("films".to_owned())));
    assert_eq!(playlist.remove("weather").frames(), 10);
    assert_eq!((playlist.size(), playlist.contains("weather")), (1, false));
    assert_eq!(playlist.current().map(Clip::key_interval), Some(5));
}

#[test]
fn what_nothing_can_meet_is_refused() {
    let rate = Bitrate::new(100);
    assert!(violation_of(|| rate.between(Bitrate::new(200))).is_some());
    assert!(violation_of(|| rate.between(rate)).is_some());
    assert!(violation_of(|| clip("film", 9).frames_without_keys()).is_some());
    let mut session = Session::new(TestPattern::new(0), Passthrough::new(Level::Low), endpoint());
    session.open("tok-1234");
    session.start(&ManualClock::at(0));
    assert!(violation_of(|| session.finish_draining()).is_some());
}
