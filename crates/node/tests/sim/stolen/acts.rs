//! What somebody does in one step, and what of it is counted.

use superroot_types::UnixSeconds;

use super::auditor::{Auditor, Look};
use super::readers::{File, Judged, Moved, Reader};
use super::run::{TOLD, World};
use super::service::Service;
use super::witnesses::Asked;
use crate::dice::Dice;

/// Place of the service that does not grow, behind both sides.
const LAGGING: usize = 2;

impl World {
    /// One of those that grow.
    fn grower<'a>(
        dice: &mut Dice,
        operator: &'a mut Service,
        thief: &'a mut Option<Service>,
    ) -> &'a mut Service {
        match thief {
            Some(thief) if dice.percent(50) => thief,
            _ => operator,
        }
    }

    /// All that are there, in some order.
    fn services<'a>(&'a self, order: &[usize]) -> Vec<&'a Service> {
        let all = [Some(&self.operator), self.thief.as_ref(), self.lagging.as_ref()];
        order.iter().filter_map(|place| all[*place]).collect()
    }

    pub(super) fn grow(&mut self) {
        let Self { dice, operator, thief, truth, .. } = self;
        // mostly they keep level: much is about two logs of one size
        let service = match thief {
            Some(thief) if thief.size() < operator.size() && dice.percent(70) => thief,
            Some(thief) if thief.size() > operator.size() && dice.percent(70) => operator,
            thief => Self::grower(dice, operator, thief),
        };
        service.grow(truth, dice);
        let (side, size) = (service.side, service.size());
        self.tell(|| format!("service {side} grows to {size}"));
    }

    pub(super) fn ask_witness(&mut self) {
        let now = UnixSeconds(self.now);
        let Self { dice, operator, thief, lagging, truth, witnesses, .. } = self;
        let service = match lagging {
            Some(lagging) if dice.percent(10) => lagging,
            _ => Self::grower(dice, operator, thief),
        };
        let (side, size) = (service.side, service.size());
        let (is_bought, is_honest) = (dice.percent(60), dice.percent(75));
        if is_bought {
            witnesses.ask_bought(service, now);
        }
        let asked = is_honest.then(|| witnesses.ask_honest(service, truth, now));
        self.tell(|| format!("{size} of {side}: bought {is_bought}, honest {asked:?}"));
        let Some(asked) = asked else { return };
        self.count(
            match asked {
                Asked::Cosigned => "cosignatures",
                Asked::Ahead => "services that the witness is ahead of",
                Asked::Refused { has_evidence: true } => "refusals of the witness with evidence",
                Asked::Refused { has_evidence: false } => "refusals of the witness",
            },
            1,
        );
    }

    pub(super) fn restart(&mut self) {
        self.witnesses.restart();
        self.auditor.restart();
        self.count("restarts", 1);
    }

    pub(super) fn lag(&mut self) {
        let Self { dice, operator, thief, .. } = self;
        let of = Self::grower(dice, operator, thief);
        self.lagging = Some(of.lagging());
    }

    /// Two readers ask somebody.
    pub(super) fn update(&mut self) {
        let asking = self.dice.order(self.readers.len());
        for place in asking.into_iter().take(2) {
            let order = self.dice.order(3);
            self.move_on(place, &order);
        }
    }

    /// A reader asks the first of those services that are there.
    pub(super) fn move_on(&mut self, place: usize, order: &[usize]) {
        if place == TOLD && !self.truth.is_forked() {
            return; // what it is told by hand has to be of one history alone
        }
        let mut reader = self.readers.remove(place);
        let service = self.services(order)[0];
        let (side, latest) = (service.side, service.prover().latest().unwrap());
        if place == TOLD && reader.is_told(latest.super_root.sequence.0, latest.hash) {
            self.tell(|| format!("{:?} is told of service {side}", reader.quorum));
        } else {
            let moved = reader.update(service, &self.truth);
            self.tell(|| format!("{:?} asks service {side}: {moved:?}", reader.quorum));
            self.count(
                match moved {
                    Moved::On => "moves",
                    Moved::Same => "pins that stay",
                    Moved::Behind => "services behind the pin",
                    Moved::NoNote | Moved::NoQuorum => "notes without the quorum",
                    Moved::Forked { has_evidence: true } => "moves refused with evidence",
                    Moved::Forked { has_evidence: false } => "moves refused of pins by hand",
                },
                1,
            );
        }
        self.readers.insert(place, reader);
    }

    /// A proof file of somebody.
    pub(super) fn fetch(&mut self) {
        let order = self.dice.order(3);
        self.fetch_of(&order);
    }

    pub(super) fn fetch_of(&mut self, order: &[usize]) {
        let mut dice = Dice::new(self.dice.below(u64::MAX), "file");
        let service = self.services(order)[0];
        let body = service.fetch_proof(&mut dice);
        let file = File::of(body, service.side, &self.truth);
        self.files.push(file);
    }

    /// Everybody looks at some of the files, old or new.
    pub(super) fn verify(&mut self) {
        for _ in 0..self.files.len().min(2) {
            let place = self.dice.below(self.files.len() as u64) as usize;
            self.verify_one(place);
        }
    }

    pub(super) fn verify_one(&mut self, place: usize) {
        let file = &self.files[place];
        let verify = |reader: &mut Reader| reader.verify(file, &self.truth);
        let judged: Vec<_> = self.readers.iter_mut().map(verify).collect();
        self.tell(|| format!("a file is {judged:?}"));
        for one in judged {
            self.count(
                match one {
                    Judged::NoQuorum => "notes without the quorum",
                    Judged::Pinned => "files of a pin",
                    Judged::Joined => "files joined to a pin",
                    Judged::NotJoined => "files not joined",
                    Judged::Older => "files no newer than the pin",
                    Judged::Fork => "files of another SuperRoot than the pinned one",
                    Judged::TwoHistories => "files of two histories",
                },
                1,
            );
        }
    }

    pub(super) fn look(&mut self) {
        let (count, order) = (self.dice.between(1, 3) as usize, self.dice.order(3));
        match self.lagging.is_some() && self.dice.percent(20) {
            true => self.look_at(1, &[LAGGING]),
            false => self.look_at(count, &order),
        };
    }

    /// The auditor looks at the first of those services that are there.
    pub(super) fn look_at(&mut self, count: usize, order: &[usize]) -> Look {
        let mut auditor = std::mem::replace(&mut self.auditor, Auditor::new());
        let mut shown = self.services(order);
        shown.truncate(count);
        let look = auditor.look(&shown, &self.truth);
        self.auditor = auditor;
        self.tell(|| format!("the auditor at {count} of {order:?}: {look:?}"));
        self.count(
            match look {
                Look::Fine => "looks without one",
                Look::Behind => "looks at services behind the audit",
                Look::Accused => "accusations of the auditor",
            },
            1,
        );
        look
    }
}
