//! Prices of tokens.

use superroot_wire::price::TokenPrice;

use crate::error::codes::{
    CHAIN_UNAVAILABLE, NO_PRICE, NOT_FINAL, NOT_FOUND, NOT_INDEXED, NOT_YET_ANCHORED, TIMEOUT,
    UNKNOWN_CHAIN,
};
use crate::route::{Group, Operation, Parameter, Route};

mod answer;
mod at;
mod price;
mod proof;

const QUESTION: &[Parameter] = &[
    Parameter::text(
        "block",
        "The block to price at: a number, or latest, the newest anchored one; the newest held if left out",
        "^([0-9]{1,16}|latest)$",
        "latest",
    ),
    Parameter::integer("window", "Seconds of the mean, 60 to 3600; 1800 if left out", "1800"),
    Parameter::text(
        "proof",
        "1: with the proof of every event that the price rests on",
        "^[01]$",
        "1",
    ),
    Parameter::text("note", "1: these proofs carry the newest signed note", "^[01]$", "1"),
];
const ABOUT: &str = "The median of the token's pools with stablecoins and the chain's own coin, by what really stands \
    behind each. A pool counts where its address follows from a known factory, or that factory's event made it. For one \
    block the answer is the same for ever. Every pool names the event that its price rests on, and with proof=1 carries \
    its proof: superroot verify computes the price again. Nothing trustworthy is 404 no_price, with the reason. token is \
    an address, or a symbol that only one known token has.";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::paid(26, "/price/{chain}/{token}", Group::G4).weighs(1).serves(
            Operation::get(
                "price",
                "Price of a token, with the events that it follows from",
                price::price,
            )
            .query(QUESTION)
            .errors(&[
                UNKNOWN_CHAIN,
                NO_PRICE,
                NOT_FOUND,
                NOT_INDEXED,
                NOT_FINAL,
                NOT_YET_ANCHORED,
                CHAIN_UNAVAILABLE,
                TIMEOUT,
            ])
            .says(ABOUT)
            .returns::<TokenPrice>(),
        ),
    ]
}
