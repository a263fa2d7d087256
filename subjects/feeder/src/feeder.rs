//! The feeder itself: a playlist, a schedule, a hub, and who may use them.

use testsmith::{ensures, invariant, pure, requires};

use crate::clock::Clock;
use crate::hub::Hub;
use crate::naming::Named;
use crate::packet::Packet;
use crate::playlist::Playlist;
use crate::queue::Queue;
use crate::schedule::{DAY, Schedule, Slot};
use crate::source::{LiveSource, Source};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Viewer,
    Operator,
    Admin { pin: u16 },
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.user.len() >= 2 && self.user.chars().all(|c| c.is_ascii_alphabetic()))]
pub struct Credentials {
    user: String,
    role: Role,
}

#[invariant]
impl Credentials {
    #[requires(user.len() >= 2 && user.len() <= 12, "two to twelve letters")]
    #[requires(user.chars().all(|c| c.is_ascii_alphabetic()))]
    #[requires(!matches!(role, Role::Admin { pin } if pin < 1000), "four digits at least")]
    #[ensures(ret.user() == user, ret.role() == role)]
    pub fn new(user: &str, role: Role) -> Credentials {
        Credentials { user: user.to_owned(), role }
    }

    #[pure]
    #[ensures(ret.len() >= 2)]
    pub fn user(&self) -> &str {
        &self.user
    }

    #[pure]
    pub fn role(&self) -> Role {
        self.role
    }

    #[pure]
    #[ensures(ret == !matches!(self.role(), Role::Viewer))]
    pub fn may_operate(&self) -> bool {
        self.role != Role::Viewer
    }

    /// Whether the pin is right.
    #[pure]
    #[ensures(ret == matches!(self.role(), Role::Admin { pin: right } if right == pin))]
    pub fn unlocks(&self, pin: u16) -> bool {
        self.role == Role::Admin { pin }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.owner.may_operate())]
#[invariant(self.on_air.as_ref().is_none_or(|name| !name.is_empty()))]
pub struct Feeder {
    owner: Credentials,
    playlist: Playlist,
    schedule: Schedule,
    hub: Hub,
    waiting: Queue<Packet>,
    sent: u64,
    on_air: Option<String>,
}

#[invariant]
impl Feeder {
    #[requires(owner.may_operate(), "viewers only view")]
    #[requires(playlist.current().is_some() && hub.capacity() >= 2)]
    #[ensures(!ret.is_on_air(), ret.sent() == 0, ret.waiting() == 0)]
    #[ensures(ret.schedule().size() == 0, *ret.owner() == old(owner.clone()))]
    #[ensures(*ret.playlist() == old(playlist.clone()))]
    pub fn new(owner: Credentials, playlist: Playlist, hub: Hub) -> Feeder {
        Feeder {
            owner,
            playlist,
            schedule: Schedule::new(),
            hub,
            waiting: Queue::new(16),
            sent: 0,
            on_air: None,
        }
    }

    #[pure]
    #[ensures(ret.may_operate())]
    pub fn owner(&self) -> &Credentials {
        &self.owner
    }

    #[pure]
    pub fn playlist(&self) -> &Playlist {
        &self.playlist
    }

    #[pure]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    #[pure]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// How many packets were sent.
    #[pure]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// How many packets wait to be sent.
    #[pure]
    #[ensures(ret <= 16)]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The name of what is on air.
    #[pure]
    #[ensures(ret.is_some() == self.is_on_air())]
    pub fn on_air(&self) -> Option<&str> {
        self.on_air.as_deref()
    }

    #[pure]
    pub fn is_on_air(&self) -> bool {
        self.on_air.is_some()
    }

    #[requires(self.schedule().is_free(&slot), "something else is planned then")]
    #[requires(self.playlist().contains(slot.stream().as_str()), "nothing to play")]
    #[ensures(self.schedule().size() == old(self.schedule().size()) + 1)]
    #[ensures(self.schedule().at(old(slot.start())).is_some(), unchanged(self.on_air.clone()))]
    pub fn plan(&mut self, slot: Slot) {
        self.schedule.add(slot);
    }

    /// Plays what is planned now.
    #[requires(!self.is_on_air())]
    #[requires(self.schedule().at((clock.now() / 1000 % u64::from(DAY)) as u32).is_some())]
    #[ensures(self.is_on_air())]
    #[ensures(self.on_air() == self.playlist().current().map(|clip| clip.name()))]
    pub fn air(&mut self, clock: &dyn Clock) {
        let second = (clock.now() / 1000 % u64::from(DAY)) as u32;
        let name = self.schedule.at(second).map(|slot| slot.stream().as_str().to_owned());
        if let Some(name) = name
            && self.playlist.jump_to(&name).is_ok()
        {
            self.on_air = Some(name);
        }
    }

    /// Shows a live source instead of the playlist.
    #[requires(source.is_connected() && source.latency_ms() <= 5000, "too far behind")]
    #[requires(source.name().starts_with("live-"))]
    #[ensures(self.on_air() == Some(source.name()))]
    pub fn go_live(&mut self, source: &impl LiveSource) {
        self.on_air = Some(source.name().to_owned());
    }

    /// Lets packets of a source wait to be sent.
    #[requires(self.on_air() == Some(source.name()), "that is not on air")]
    #[requires(!source.is_exhausted() && self.waiting() < 16)]
    #[ensures(self.waiting() == old(self.waiting()) + 1)]
    #[ensures(source.position() == old(source.position()) + 1)]
    pub fn pump<S: Source>(&mut self, source: &mut S) {
        self.waiting.push(source.next_packet());
    }

    /// Sends everything that waits.
    #[requires(self.is_on_air() && self.waiting() >= 4, "wait for a group")]
    #[ensures(self.waiting() == 0, unchanged(self.on_air.clone()))]
    #[ensures(self.sent() == old(self.sent() + self.waiting() as u64))]
    pub fn flush(&mut self) {
        self.sent += self.waiting.len() as u64;
        self.waiting = Queue::new(16);
    }

    #[requires(self.is_on_air() && self.waiting() == 0, "packets wait")]
    #[ensures(!self.is_on_air())]
    pub fn off_air(&mut self) {
        self.on_air = None;
    }

    /// Gives the feeder to another owner.
    #[requires(self.owner().unlocks(pin), "the pin is wrong")]
    #[requires(owner.may_operate() && owner.user() != self.owner().user())]
    #[ensures(*self.owner() == old(owner.clone()), unchanged(self.sent()))]
    pub fn hand_over(&mut self, pin: u16, owner: Credentials) {
        self.owner = owner;
    }

    /// Counts from the beginning, after a day's work.
    #[requires(matches!(self.owner().role(), Role::Admin { .. }) && !self.is_on_air())]
    #[requires(self.sent() >= 4)]
    #[ensures(self.sent() == 0)]
    pub fn reset(&mut self) {
        self.sent = 0;
    }
}
