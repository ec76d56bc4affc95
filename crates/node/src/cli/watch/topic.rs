//! What `superroot watch` is asked for.

use anyhow::bail;

use super::args::WatchArgs;

pub(super) enum WatchTopic<'a> {
    /// Topics on `/v5/stream`.
    Topics(String),
    Order(&'a str),
    Arb,
    Price(&'a str, &'a str),
}

impl<'a> WatchTopic<'a> {
    pub(super) fn read(args: &'a WatchArgs) -> anyhow::Result<Self> {
        let words: Vec<&str> = args.topics.iter().map(String::as_str).collect();
        let what = Self::of(&words)?;
        let of_arb = matches!(what, Self::Arb);
        let of_price = matches!(what, Self::Price(..));
        let is_alone = of_arb || of_price;
        let of_topics = [
            ("--chain", args.chain.is_some()),
            ("--address", args.address.is_some()),
            ("--topic0", args.topic0.is_some()),
            ("--topic1", args.topic1.is_some()),
            ("--topic2", args.topic2.is_some()),
            ("--topic3", args.topic3.is_some()),
            ("--finality", args.finality.is_some()),
            ("--tx", args.tx.is_some()),
            ("--order", args.order.is_some()),
            ("--partial", args.partial),
            ("--since", args.since.is_some()),
        ];
        if let Some((name, _)) = of_topics.iter().find(|(_, is_given)| is_alone && *is_given) {
            bail!("{name} does not go with {}", words[0]);
        }
        if args.min_net_usd.is_some() && !of_arb {
            bail!("--min-net-usd goes with arb alone");
        }
        Ok(what)
    }

    fn of(words: &[&'a str]) -> anyhow::Result<Self> {
        Ok(match *words {
            ["order", id] => Self::Order(id),
            ["arb"] => Self::Arb,
            ["price", chain, token] => Self::Price(chain, token),
            ["order", ..] => {
                bail!("order takes one id: superroot watch order across:42161:1142258")
            }
            ["price", ..] => {
                bail!("price takes a chain and a token: superroot watch price ethereum WETH")
            }
            _ if words.contains(&"arb") => bail!("arb is a stream of its own: superroot watch arb"),
            _ => Self::Topics(words.join(",")),
        })
    }
}
