//! What a worker gives away before it takes rule code: files, the network, other processes, memory beyond a cap.
//!
//! On Linux three things hold it: limits of the process, Landlock for files and ports, and a filter that lets through the
//! system calls that a program needs to compute, to wait and to talk over a socket that it has already. Other systems have the
//! limits alone. What the system did not grant is told, and the operator sees it.

use rustix::process::{Resource, Rlimit, setrlimit};

/// What is asked of a worker beside its confinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most memory that it may use, in bytes.
    pub memory: u64,
    /// Whether it gives way to everything else on the machine.
    pub gives_way: bool,
}

/// How much a process may reserve beyond what it uses: stacks of threads and heaps that are set aside.
const RESERVE: u64 = 4 << 30;

/// How many files it may have open: its socket, and what waiting takes.
const FILES: u64 = 32;

/// By how much a worker gives way.
const NICE: i32 = 10;

/// Locks this process for good. Gives what could not be locked, in words. Threads that run already are not held by all of it, so
/// it is to be called before there are any.
pub fn lock(bounds: Bounds) -> Vec<String> {
    let mut lacks = Vec::new();
    let mut note = |what: &str, done: Result<(), String>| {
        if let Err(error) = done {
            lacks.push(format!("{what} ({error})"));
        }
    };
    note("a cap on memory", memory(bounds.memory));
    note("no core dumps", limit(Resource::Core, 0));
    note("no files to write", limit(Resource::Fsize, 0));
    note("few open files", limit(Resource::Nofile, FILES));
    if bounds.gives_way {
        let given = rustix::process::nice(NICE).map(drop);
        note("giving way to others", given.map_err(|e| e.to_string()));
    }
    system::lock(&mut note);
    lacks
}

fn memory(cap: u64) -> Result<(), String> {
    limit(Resource::As, cap + RESERVE)?;
    limit(Resource::Data, cap)
}

fn limit(what: Resource, most: u64) -> Result<(), String> {
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(what, limit).map_err(|error| error.to_string())
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeMap;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
        RulesetStatus, Scope,
    };
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    };

    /// The newest form of Landlock that is asked for; an older system grants what it knows.
    const NEWEST: ABI = ABI::V6;

    /// What a program needs that computes, waits and talks over what is open. Whatever is not here is as if the system did not
    /// know it. Threads are made by `clone`, see [`filter`].
    const CALLS: [i64; 57] = [
        libc::SYS_brk,
        libc::SYS_clock_getres,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_close,
        libc::SYS_dup,
        libc::SYS_epoll_create1,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        libc::SYS_eventfd2,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_fcntl,
        libc::SYS_fstat,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_getppid,
        libc::SYS_getrandom,
        libc::SYS_getrusage,
        libc::SYS_getsockname,
        libc::SYS_getsockopt,
        libc::SYS_gettid,
        libc::SYS_gettimeofday,
        libc::SYS_lseek,
        libc::SYS_madvise,
        libc::SYS_membarrier,
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_nanosleep,
        libc::SYS_ppoll,
        libc::SYS_prctl,
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_recvfrom,
        libc::SYS_recvmsg,
        libc::SYS_restart_syscall,
        libc::SYS_rseq,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_rt_sigtimedwait,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_yield,
        libc::SYS_sendmsg,
        libc::SYS_sendto,
        libc::SYS_set_robust_list,
        libc::SYS_set_tid_address,
        libc::SYS_setsockopt,
        libc::SYS_shutdown,
        libc::SYS_sigaltstack,
        libc::SYS_statx,
        libc::SYS_sysinfo,
        libc::SYS_tgkill,
        libc::SYS_write,
        libc::SYS_writev,
    ];

    /// Calls that only older machines have, for the same.
    #[cfg(target_arch = "x86_64")]
    const OLD_CALLS: [i64; 4] = [
        libc::SYS_epoll_wait,
        libc::SYS_poll,
        libc::SYS_time,
        libc::SYS_arch_prctl,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const OLD_CALLS: [i64; 0] = [];

    pub(super) fn lock(note: &mut impl FnMut(&str, Result<(), String>)) {
        let quiet =
            rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
        note(
            "no looking into its memory",
            quiet.map_err(|e| e.to_string()),
        );
        note("no files and no ports, by Landlock", files());
        note("no files, network and processes, by seccomp", calls());
    }

    fn files() -> Result<(), String> {
        let locked = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
            .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
            .and_then(Ruleset::create)
            .and_then(landlock::RulesetCreated::restrict_self);
        match locked {
            Err(error) => Err(error.to_string()),
            Ok(status) if status.ruleset == RulesetStatus::NotEnforced => {
                Err("the system does not have it".to_owned())
            }
            Ok(_) => Ok(()),
        }
    }

    fn calls() -> Result<(), String> {
        let filter = filter().map_err(|error| error.to_string())?;
        let program: seccompiler::BpfProgram = filter
            .try_into()
            .map_err(|error: seccompiler::BackendError| error.to_string())?;
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())
    }

    fn filter() -> Result<SeccompFilter, seccompiler::BackendError> {
        let calls = CALLS.into_iter().chain(OLD_CALLS);
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            calls.map(|call| (call, Vec::new())).collect();
        // A thread, and no process: what it is made with says that it shares all with this one.
        let thread = u64::try_from(libc::CLONE_THREAD).unwrap_or_default();
        let is_thread = SeccompCondition::new(
            0,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::MaskedEq(thread),
            thread,
        )?;
        rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![is_thread])?]);
        // As if the system did not know the call: for a newer way to do something, a library then takes the older one.
        let unknown = SeccompAction::Errno(u32::try_from(libc::ENOSYS).unwrap_or(38));
        let arch = std::env::consts::ARCH.try_into()?;
        SeccompFilter::new(rules, unknown, SeccompAction::Allow, arch)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn lock(note: &mut impl FnMut(&str, Result<(), String>)) {
        let none = || Err("this system has neither Landlock nor seccomp".to_owned());
        note("no files, network and processes", none());
    }
}
