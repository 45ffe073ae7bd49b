use super::*;

fn read(name: &str, value: &str) -> Result<Settings, String> {
    Settings::read(|n| (n == name).then(|| value.into()))
}

#[test]
fn variables_change_the_machine() {
    let plain = Settings::read(|_| None).unwrap();
    assert_eq!((plain.network, plain.node), (Machine::NETWORK, Machine::NODE));
    let s = read("REBLOCK_NETWORK", "5, 2.5").unwrap();
    assert!((s.network.start_up - 5e-6).abs() < 1e-12 && (s.network.byte - 4e-10).abs() < 1e-16);
    assert_eq!(s.node, Machine::NODE);
    assert_eq!(read("REBLOCK_WINDOW", "8").unwrap().network.window, 8);
    assert_eq!(read("REBLOCK_SCHEDULER", "classes").unwrap().scheduler.as_deref(), Some("classes"));
    assert_ne!(s.digest(), plain.digest());
    assert_eq!(read("REBLOCK_TRANSPORT", "shm").unwrap().medium, Medium::Shm);
    assert_eq!(read("REBLOCK_BUFFER", "1048576").unwrap().buffer, Some(1 << 20));
    assert_eq!(read("REBLOCK_OWNERS", "0").unwrap().owners, 0);
    assert_eq!(read("REBLOCK_EARLY", "0").unwrap().early, Some(0));
    assert!(read("REBLOCK_DEVICE", "1").unwrap().device && !plain.device);
    let packed = read("REBLOCK_DEVICE_IPC", "0").unwrap();
    assert!(!packed.device_ipc && plain.device_ipc && packed.digest() != plain.digest());
    let by_host = read("REBLOCK_DEVICE_MPI", "0").unwrap();
    assert!(!by_host.device_mpi && plain.device_mpi && by_host.digest() != packed.digest());
    for (value, arrays) in [
        ("", None),
        ("node", Some(NodeArrays::Placed(1 << 20))),
        ("node,4096", Some(NodeArrays::Placed(4096))),
        ("xpmem", Some(NodeArrays::Xpmem)),
    ] {
        assert_eq!(read("REBLOCK_ARRAYS", value).unwrap().arrays, arrays);
    }
    assert_eq!(read("REBLOCK_WAIT_SECONDS", " 90").unwrap().wait, Some(Duration::from_secs(90)));
    assert_eq!((plain.wait, read("REBLOCK_WAIT_SECONDS", "").unwrap().wait), (None, None));
    let threads = read("OMP_NUM_THREADS", "3,2").unwrap();
    assert_eq!((threads.threads, threads.digest()), (Threads::AtMost(3), plain.digest()));
    assert_eq!((threads.threads.of(2, || 8), threads.threads.of(8, || 8)), (2, 3));
    assert_eq!(read("REBLOCK_THREADS", "2").unwrap().threads.of(1, || 8), 2);
    assert_eq!(read("REBLOCK_THREADS", "1000").unwrap().threads.of(1, || 2), 2, "no more than cores");
    assert_eq!(read("OMP_NUM_THREADS", "all").unwrap().threads.of(99, || 99), 99);
}

#[test]
fn unusable_values_are_named() {
    for (name, value) in [
        ("REBLOCK_NETWORK", "fast"),
        ("REBLOCK_NODE", "1,0"),
        ("REBLOCK_WINDOW", "0"),
        ("REBLOCK_TRANSPORT", "pigeon"),
        ("REBLOCK_BUFFER", "1000"),
        ("REBLOCK_BUFFER", "9223372036854775807"),
        ("REBLOCK_NETWORK", "2,1e300"),
        ("REBLOCK_BUFFER", "99999999999999999999"),
        ("REBLOCK_NETWORK", "1,-1"),
        ("REBLOCK_COPY", "nan"),
        ("REBLOCK_WINDOW", "1025"),
        ("REBLOCK_THREADS", "-1"),
        ("REBLOCK_SCHEDULER", "pigeons"),
        ("REBLOCK_OWNERS", "-1"),
        ("REBLOCK_EARLY", "all"),
        ("REBLOCK_EARLY", "65529"),
        ("REBLOCK_ARRAYS", "1"),
        ("REBLOCK_ARRAYS", "node,"),
        ("REBLOCK_ARRAYS", "node,4095"),
        ("REBLOCK_ARRAYS", "xpmem,4096"),
        ("REBLOCK_WAIT_SECONDS", "0"),
        ("REBLOCK_WAIT_SECONDS", "an hour"),
        ("REBLOCK_GATHER", "yes"),
        ("REBLOCK_SLOTS", "past"),
        ("REBLOCK_DEVICE_IPC", "no"),
        ("REBLOCK_DEVICE_MPI", "cuda"),
        ("REBLOCK_THREADS", "0"),
    ] {
        let error = read(name, value).unwrap_err();
        assert!(error.starts_with(&format!("{name} is {value}, expected ")), "{error}");
    }
}
