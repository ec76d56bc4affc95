//! One seed: who does what in which order, and the laws after each step.

use std::collections::BTreeMap;

use superroot_types::UnixSeconds;

use super::auditor::{Auditor, Look};
use super::readers::{File, Moved, Reader};
use super::service::Service;
use super::support::GENESIS;
use super::truth::{OPERATOR, THIEF, Truth};
use super::witnesses::{Quorum, Witnesses};
use crate::dice::Dice;

/// What a run may come to, each counted.
pub(crate) const COUNTS: [&str; 21] = [
    "forks",
    "restarts",
    "cosignatures",
    "refusals of the witness",
    "refusals of the witness with evidence",
    "services that the witness is ahead of",
    "moves",
    "moves refused with evidence",
    "moves refused of pins by hand",
    "services behind the pin",
    "pins that stay",
    "notes without the quorum",
    "files of a pin",
    "files joined to a pin",
    "files not joined",
    "files no newer than the pin",
    "files of another SuperRoot than the pinned one",
    "files of two histories",
    "accusations of the auditor",
    "looks without one",
    "looks at services behind the audit",
];

/// Whose note the readers need.
const QUORUMS: [Quorum; 5] =
    [Quorum::Honest, Quorum::Both, Quorum::Bought, Quorum::Nobody, Quorum::Nobody];
/// The one of them whose first pin is brought by hand.
pub(super) const TOLD: usize = 4;

/// How often each of [`COUNTS`] happened.
pub(crate) type Counts = [u64; COUNTS.len()];

/// What is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// The honest witness signs whatever it is given.
    BentWitness,
    /// Readers pin anew at each look.
    NoMemory,
}

pub(crate) fn run(seed: u64, is_loud: bool) -> Counts {
    World::of(seed, None, is_loud).run()
}

pub(crate) fn run_sabotaged(seed: u64, sabotage: Sabotage) -> Counts {
    World::of(seed, Some(sabotage), false).run()
}

pub(super) struct World {
    pub(super) dice: Dice,
    pub(super) truth: Truth,
    pub(super) operator: Service,
    pub(super) thief: Option<Service>,
    /// A copy of one of them that does not grow.
    pub(super) lagging: Option<Service>,
    pub(super) witnesses: Witnesses,
    pub(super) readers: Vec<Reader>,
    pub(super) auditor: Auditor,
    pub(super) files: Vec<File>,
    counted: BTreeMap<&'static str, u64>,
    pub(super) now: u64,
    is_loud: bool,
}

impl World {
    fn of(seed: u64, sabotage: Option<Sabotage>, is_loud: bool) -> Self {
        let mut dice = Dice::new(seed, "stolen");
        let asks_for = dice.pick(&[Quorum::Honest, Quorum::Both, Quorum::Any]);
        let operator = Service::new(asks_for.policy());
        let is_forgetful = sabotage == Some(Sabotage::NoMemory);
        let readers = QUORUMS.map(|quorum| Reader::new(quorum, is_forgetful)).into();
        let witnesses = Witnesses::new(sabotage == Some(Sabotage::BentWitness));
        let mut world = Self {
            dice,
            truth: Truth::default(),
            operator,
            thief: None,
            lagging: None,
            witnesses,
            readers,
            auditor: Auditor::new(),
            files: Vec::new(),
            counted: BTreeMap::new(),
            now: GENESIS,
            is_loud,
        };
        world.operator.grow(&mut world.truth, &mut world.dice);
        world
    }

    fn run(mut self) -> Counts {
        let steps = self.dice.between(18, 34);
        let stolen_at = self.dice.percent(85).then(|| self.dice.between(2, 12));
        for step in 0..steps {
            self.now += 1;
            if stolen_at == Some(step) {
                self.steal();
            } else {
                self.step();
            }
            self.check();
        }
        if self.truth.is_forked() {
            self.all_are_shown_both();
        } else if self.truth.size(THIEF) <= self.truth.size(OPERATOR) {
            self.all_move_on();
        }
        self.count("forks", u64::from(self.truth.is_forked()));
        COUNTS.map(|what| self.counted.get(what).copied().unwrap_or_default())
    }

    pub(super) fn count(&mut self, what: &'static str, times: u64) {
        assert!(COUNTS.contains(&what));
        *self.counted.entry(what).or_default() += times;
    }

    pub(super) fn tell(&self, what: impl FnOnce() -> String) {
        if self.is_loud {
            println!("{} {}", self.now - GENESIS, what());
        }
    }

    /// The thief goes on from here, with the key, a clock of its own and maybe other blocks.
    fn steal(&mut self) {
        let asks_for = match self.witnesses.is_bent {
            true => Quorum::Honest,
            false => self.dice.pick(&[Quorum::Bought, Quorum::Honest, Quorum::Nobody]),
        };
        let mut thief = self.operator.stolen(asks_for.policy());
        thief.lies(self.dice.below(40), self.dice.percent(50));
        self.truth.copy();
        self.tell(|| format!("stolen at size {}", thief.size()));
        self.thief = Some(thief);
    }

    fn step(&mut self) {
        match self.dice.below(100) {
            0..26 => self.grow(),
            26..48 => self.ask_witness(),
            48..53 => self.restart(),
            53..69 => self.update(),
            69..78 => self.fetch(),
            78..86 => self.verify(),
            86..94 => self.look(),
            _ => self.lag(),
        }
    }

    /// Laws 1, 2 and 3; the others hold where they are about one act.
    fn check(&mut self) {
        for reader in &mut self.readers {
            reader.check_pins(&self.truth);
        }
        assert!(self.truth.is_one(self.witnesses.cosigned.iter()), "law 2: two histories cosigned");
        let needing = self.readers.iter().filter(|reader| reader.quorum.needs_honest());
        let trusted = needing.flat_map(|reader| &reader.trusted);
        assert!(self.truth.is_one(trusted), "law 3: readers of the honest witness are divided");
    }

    /// With one history, and both witnesses asked, every reader comes to the newest SuperRoot: law 6.
    fn all_move_on(&mut self) {
        self.operator.grow(&mut self.truth, &mut self.dice);
        let now = UnixSeconds(self.now);
        self.witnesses.ask_bought(&self.operator, now);
        self.witnesses.ask_honest(&mut self.operator, &self.truth, now);
        for reader in &mut self.readers {
            assert_eq!(reader.update(&self.operator, &self.truth), Moved::On, "law 6");
        }
        assert_eq!(self.look_at(1, &[OPERATOR]), Look::Fine, "law 6");
        self.check();
    }

    /// Everybody is shown both histories, at one size and with what each of them can get signed.
    fn all_are_shown_both(&mut self) {
        let now = UnixSeconds(self.now);
        let Self { dice, truth, operator, thief: Some(thief), witnesses, .. } = self else {
            unreachable!("there are two histories")
        };
        let size = operator.size().max(thief.size());
        for service in [operator, thief] {
            while service.size() < size {
                service.grow(truth, dice);
            }
            witnesses.ask_bought(service, now);
            witnesses.ask_honest(service, truth, now);
        }
        let orders = [[OPERATOR, THIEF], [THIEF, OPERATOR]];
        for place in 0..self.readers.len() {
            for order in orders.iter().cycle().skip(self.dice.below(2) as usize).take(2) {
                self.move_on(place, order);
            }
        }
        for order in &orders {
            self.fetch_of(order);
            self.verify_one(self.files.len() - 1);
        }
        self.check();
        assert_eq!(self.look_at(2, &orders[0]), Look::Accused, "law 5");
        if self.dice.percent(50) {
            // the other history is shown when the auditor is past all of it
            for _ in 0..self.dice.between(1, 2) {
                self.operator.grow(&mut self.truth, &mut self.dice);
            }
            assert_eq!(self.look_at(1, &[OPERATOR]), Look::Fine, "law 6");
            assert_eq!(self.look_at(2, &orders[1]), Look::Accused, "law 5");
        }
    }
}
