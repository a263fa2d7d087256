//! The hub: who gets what is on air.

use testsmith::{contract_trait, ensures, exists, forall, invariant, pure, requires};

use crate::naming::Named;
use crate::packet::Packet;
use crate::quality::Level;

/// No hub has more subscribers.
pub const MOST_SUBSCRIBERS: usize = 64;

/// Someone who receives packets.
///
/// Nothing here implements it: who uses the feeder brings one.
#[cfg_attr(feature = "fakes", testsmith::fake)]
#[contract_trait]
pub trait Subscriber: Named {
    /// Whether pictures of that level can be shown.
    #[pure]
    #[ensures(level == Level::Low -> ret)]
    fn shows(&self, level: Level) -> bool;

    #[pure]
    fn received(&self) -> u32;

    /// How many packets can come before it is asked again.
    #[pure]
    #[ensures(ret <= 1000)]
    fn credit(&self) -> u32;

    #[requires(self.credit() > 0 && self.received() < u32::MAX, "it is not ready")]
    #[ensures(self.received() == old(self.received()) + 1)]
    #[ensures(self.credit() == old(self.credit()) - 1)]
    fn deliver(&mut self, packet: &Packet);
}

/// What a subscriber gets when it comes, and shows when it goes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.number > 0 && !self.holder.is_empty())]
pub struct Ticket {
    number: u32,
    holder: String,
    level: Level,
}

#[invariant]
impl Ticket {
    #[pure]
    #[ensures(ret > 0)]
    pub fn number(&self) -> u32 {
        self.number
    }

    #[pure]
    #[ensures(!ret.is_empty())]
    pub fn holder(&self) -> &str {
        &self.holder
    }

    #[pure]
    pub fn level(&self) -> Level {
        self.level
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.tickets.len() <= self.capacity && self.capacity <= MOST_SUBSCRIBERS)]
#[invariant(forall(&self.tickets, |ticket| ticket.number() <= self.issued))]
pub struct Hub {
    tickets: Vec<Ticket>,
    capacity: usize,
    issued: u32,
}

#[invariant]
impl Hub {
    #[requires(0 < capacity && capacity <= MOST_SUBSCRIBERS)]
    #[ensures(ret.capacity() == capacity, ret.size() == 0, ret.issued() == 0)]
    pub fn new(capacity: usize) -> Hub {
        Hub { tickets: Vec::new(), capacity, issued: 0 }
    }

    #[pure]
    #[ensures(ret <= self.capacity())]
    pub fn size(&self) -> usize {
        self.tickets.len()
    }

    #[pure]
    #[ensures(0 < ret && ret <= MOST_SUBSCRIBERS)]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many tickets there ever were.
    #[pure]
    #[ensures(ret as usize >= self.size())]
    pub fn issued(&self) -> u32 {
        self.issued
    }

    #[pure]
    #[ensures(self.size() == 0 -> !ret)]
    pub fn knows(&self, name: &str) -> bool {
        exists(&self.tickets, |ticket| ticket.holder() == name)
    }

    #[pure]
    #[ensures(ret -> self.knows(ticket.holder()))]
    pub fn honours(&self, ticket: &Ticket) -> bool {
        self.tickets.contains(ticket)
    }

    /// Lets someone in by name, as guests of the house are.
    #[requires(self.size() < self.capacity(), "the house is full")]
    #[requires(name.starts_with("guest.") && name.len() > 6 && !self.knows(name))]
    #[ensures(self.size() == old(self.size()) + 1, self.issued() == old(self.issued()) + 1)]
    #[ensures(ret.holder() == name, ret.number() == self.issued(), ret.level() == level)]
    #[ensures(self.honours(&ret), unchanged(self.capacity()))]
    pub fn invite(&mut self, name: &str, level: Level) -> Ticket {
        self.issue(name, level)
    }

    /// Lets a subscriber in that can show the level it asks for.
    #[requires(self.size() < self.capacity() && !self.knows(subscriber.name()))]
    #[requires(subscriber.shows(level) && subscriber.credit() > 0)]
    #[ensures(self.size() == old(self.size()) + 1, self.issued() == old(self.issued()) + 1)]
    #[ensures(self.knows(subscriber.name()), ret.level() == level, self.honours(&ret))]
    pub fn subscribe(&mut self, subscriber: &dyn Subscriber, level: Level) -> Ticket {
        self.issue(subscriber.name(), level)
    }

    #[requires(self.honours(ticket), "not a ticket of this house")]
    #[ensures(self.size() == old(self.size()) - 1, !self.honours(ticket))]
    #[ensures(unchanged(self.issued(), self.capacity()))]
    pub fn leave(&mut self, ticket: &Ticket) {
        self.tickets.retain(|other| other != ticket);
    }

    /// Gives a ticket for a better place.
    #[requires(self.honours(ticket) && ticket.level() != Level::Ultra)]
    #[requires(self.issued() >= 3, "places are given away after the first guests")]
    #[ensures(!self.honours(ticket), self.honours(&ret), ret.holder() == ticket.holder())]
    #[ensures(ret.level() > ticket.level(), unchanged(self.size(), self.issued()))]
    pub fn upgrade(&mut self, ticket: &Ticket) -> Ticket {
        let better = Ticket { level: ticket.level.higher(), ..ticket.clone() };
        let place = self.tickets.iter().position(|other| other == ticket);
        self.tickets[place.expect("it is honoured")] = better.clone();
        better
    }

    /// Hands a packet to a subscriber of this house.
    #[requires(self.knows(to.name()), "a stranger")]
    #[requires(to.credit() > 0 && to.received() < 1_000_000)]
    #[ensures(to.received() == old(to.received()) + 1)]
    pub fn hand<S: Subscriber>(&self, packet: &Packet, to: &mut S) {
        to.deliver(packet);
    }

    fn issue(&mut self, name: &str, level: Level) -> Ticket {
        self.issued += 1;
        let ticket = Ticket { number: self.issued, holder: name.to_owned(), level };
        self.tickets.push(ticket.clone());
        ticket
    }
}
