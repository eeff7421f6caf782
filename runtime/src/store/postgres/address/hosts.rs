//! The servers of an address. Each is tried by itself: one that hangs must not keep the next one
//! waiting for longer than its own time.

use tokio_postgres::{
    Config,
    config::{Host, LoadBalanceHosts},
};
use uuid::Uuid;

/// Returns the options for each server, without the other servers.
pub(super) fn each(config: &Config) -> Vec<Config> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let servers = 0..hosts.len().max(addresses.len());
    let one = |at: usize| {
        let mut one = without_servers(config);
        match hosts.get(at) {
            Some(Host::Tcp(name)) => drop(one.host(name)),
            #[cfg(unix)]
            Some(Host::Unix(folder)) => drop(one.host_path(folder)),
            None => {}
        }
        if let Some(address) = addresses.get(at) {
            one.hostaddr(*address);
        }
        let ports = config.get_ports();
        if let Some(port) = ports.get(at).or_else(|| ports.first()) {
            one.port(*port);
        }
        one
    };
    servers.map(one).collect()
}

/// Copies the options that are not about a server.
fn without_servers(config: &Config) -> Config {
    let mut one = Config::new();
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(name) = config.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(time) = config.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one.keepalives(config.get_keepalives()).keepalives_idle(config.get_keepalives_idle());
    one.ssl_mode(config.get_ssl_mode()).ssl_negotiation(config.get_ssl_negotiation());
    one.channel_binding(config.get_channel_binding());
    one.target_session_attrs(config.get_target_session_attrs());
    one.load_balance_hosts(config.get_load_balance_hosts());
    one
}

/// Returns the indices of servers in the order in which they are tried: from the last one that has
/// answered, or from any.
pub(super) fn in_order(servers: &[Config], last: usize) -> impl Iterator<Item = usize> {
    let count = servers.len();
    let is_random =
        servers.iter().any(|one| one.get_load_balance_hosts() == LoadBalanceHosts::Random);
    let first = if is_random { Uuid::new_v4().as_u128() as usize } else { last };
    (0..count).map(move |at| (first % count + at) % count)
}
