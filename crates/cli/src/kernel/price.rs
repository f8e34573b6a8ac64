//! `narrows kernel price`.

use super::found::find;
use crate::cli::PriceArgs;
use crate::terminal;
use narrows_control::Choice;
use narrows_kernel::{KernelError, Pinned, Price};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde_json::{Value, json};
use std::fmt::Write;

/// Shows the prices of a loaded controller's connections, or sets the prices of a socket priority.
pub fn price(args: PriceArgs) -> Result<Outcome, Failure> {
    let pinned = find(&args.name)?.map_err(KernelError::from)?;
    let own = own_prices(&pinned)?;
    let none = Price::default();
    match args.priority {
        Some(priority) if args.clear => pinned.set_price(priority, none)?,
        Some(priority) if args.loss.is_some() || args.latency.is_some() => {
            let price = Price {
                is_set: 1,
                loss: args.loss.unwrap_or(own.loss),
                latency: args.latency.unwrap_or(own.latency),
            };
            pinned.set_price(priority, price)?;
        }
        None if args.clear => pinned
            .prices()?
            .into_iter()
            .try_for_each(|(priority, _)| pinned.set_price(priority, none))?,
        _ => {}
    }
    let prices: Vec<(u32, Price)> = pinned
        .prices()?
        .into_iter()
        .filter(|(one, _)| args.priority.is_none_or(|asked| asked == *one))
        .collect();
    terminal::print(&if args.json {
        as_json(&pinned, own, &prices)
    } else {
        as_text(&pinned, own, &prices)
    })?;
    Ok(Outcome::Ok)
}

/// Returns the default prices, which apply to socket priorities without a setting.
///
/// # Errors
/// If the controller has no prices or was loaded by another version of this program.
fn own_prices(pinned: &Pinned) -> Result<Price, Failure> {
    let no_prices = || KernelError::NoPrices { name: pinned.name().to_owned() };
    let (_, choice) = pinned.known().ok_or_else(no_prices)?;
    let of = |name| number(choice, name).ok_or_else(no_prices);
    Ok(Price { is_set: 0, loss: of("loss")?, latency: of("latency")? })
}

/// Returns the value of a numeric parameter. `None` if the controller's utility has no prices.
fn number(choice: &Choice, name: &str) -> Option<u32> {
    let params = choice.params();
    (params.text("utility")? == "vivace").then_some(())?;
    params.text(name)?.parse().ok()
}

fn as_text(pinned: &Pinned, own: Price, prices: &[(u32, Price)]) -> String {
    let mut text = format!(
        "{} ({}): prices of connections by the priority of their sockets\n",
        pinned.name(),
        pinned.text()
    );
    for (priority, price) in prices {
        writeln!(text, "  priority {priority:<3} loss {:<7} latency {}", price.loss, price.latency)
            .expect("a string grows");
    }
    text + &format!(
        "  {:<12} loss {:<7} latency {}\n",
        if prices.is_empty() { "all" } else { "all others" },
        own.loss,
        own.latency
    )
}

fn as_json(pinned: &Pinned, own: Price, prices: &[(u32, Price)]) -> String {
    let row = |price: &Price| json!({ "loss": price.loss, "latency": price.latency });
    let by_priority = prices.iter().map(|(priority, price)| (priority.to_string(), row(price)));
    let value = json!({ "name": pinned.name(), "controller": pinned.text(), "own": row(&own), "by_priority": by_priority.collect::<Value>() });
    format!("{value:#}\n")
}
