//! Ends treated connections that are open.

use crate::terminal;
use narrows_kernel::deployment::Deployment;
use narrows_workbench::Failure;

/// Treats nobody any more, and resets the open treated connections. Those that cannot be reset, as
/// this process may not enter their network namespace or the kernel is older than 6.5, get back what
/// they had.
pub fn reset(deployment: &Deployment) -> Result<(), Failure> {
    deployment.switch_off()?;
    let count = deployment.reset()?;
    deployment.roll_back()?;
    terminal::tell(&format!("{count} open treated connections were reset"));
    Ok(())
}
