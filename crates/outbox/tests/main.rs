//! Laws of the outbox: a made-up chain that swallows, delays and doubles transactions, and a process that dies anywhere.

mod chain;
mod fees;
mod laws;
mod rows;
