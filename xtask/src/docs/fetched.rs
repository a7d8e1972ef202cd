//! What checks of the site need beside the repository and is fetched once, and `--offline`, which skips them where it
//! is not there.
use std::fmt::Write;

/// How an error of fetching goes on.
pub const WITHOUT_A_NETWORK: &str =
    "without a network, `cargo xtask docs --check --offline` skips the checks that need it";

/// Which checks are skipped.
pub struct Fetched {
    offline: bool,
    skipped: Vec<String>,
}

impl Fetched {
    pub fn new(offline: bool) -> Self {
        Self { offline, skipped: Vec::new() }
    }

    /// Whether to make the check `what`; `missing` is what it would have to fetch. If not, it is noted as skipped.
    pub fn may_check(&mut self, what: &str, missing: Option<String>) -> bool {
        let Some(missing) = missing.filter(|_| self.offline) else { return true };
        self.skipped.push(format!("{what}: this machine does not have {missing}"));
        false
    }

    /// What the last lines say: nothing if all was checked.
    pub fn skipped(&self) -> String {
        let mut text = String::new();
        if let count @ 1.. = self.skipped.len() {
            let _ =
                writeln!(text, "{count} skipped (with a network, `cargo xtask docs --check` fetches what is missing):");
            self.skipped.iter().for_each(|skipped| text += &format!("  {skipped}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Fetched;

    #[test]
    fn what_is_missing_is_skipped_offline_only_and_named() {
        let mut online = Fetched::new(false);
        assert!(online.may_check("the chains", Some("sources".into())), "has to fetch, and to fail if it cannot");
        assert_eq!(online.skipped(), "");

        let mut offline = Fetched::new(true);
        assert!(offline.may_check("speedscope", None));
        assert_eq!(offline.skipped(), "");
        assert!(!offline.may_check("the chains", Some("sources".into())));
        let said = offline.skipped();
        assert!(said.starts_with("1 skipped (with a network, `cargo xtask docs --check` fetches"), "{said}");
        assert!(said.ends_with("  the chains: this machine does not have sources\n"), "{said}");
    }
}
