"""The published ways to write an address that nobody should be able to name: a table, each URL with what it stands for.

Sources: RFC 4291 (IPv6 text), 6052 (NAT64), 3056 (6to4), 4380 (Teredo), 6890 and its registries (special-purpose
addresses), inet_aton(3) (short, octal, hex and one-number forms), UTS 46 (full-width and enclosed characters), the
clouds' documentation of their metadata services. `{port}` is where the test listens, on all addresses of the machine.
"""


def _forms(table: str) -> list[str]:
    return table.split()


# Spellings by which this machine itself is reached
LOOPBACK = _forms("""
127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.254 127.1 127.0.1 127.65530 2130706433 2130706434 017700000001 0x7f000001
0X7F000001 0x7F.0x0.0x0.0x1 0x7f.1 0x7f.0.1 0x7f.0.0.0x1 0177.1 0177.0.1 0177.0.0.1 0177.0.0.01 0177.0x0.0.1
00000177.0.0.1 127.0.0.01 127.0.0.0x1 127.00.000.0001 127.0x0.1 0 0.0.0.0 00.00.00.00 0x0 0x00000000 000000000000 0.0
0x0.0x0.0x0.0x0 0.0.0 localhost LOCALHOST LocalHost localhost. localtest.test LOCALTEST.test. six.localtest.test
both.localtest.test 127.0.0.1.ip.test [::1] [::] [0:0:0:0:0:0:0:1] [0:0:0:0:0:0:0:0]
[0000:0000:0000:0000:0000:0000:0000:0001] [0000::0001] [::0001] [0::1] [::0.0.0.1] [0:0:0:0:0:0:0.0.0.1] [::0.0.0.0]
[::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [::ffff:7f00:0001] [0:0:0:0:0:ffff:7f00:1] [::ffff:127.0.0.2]
[0:0:0:0:0:ffff:127.0.0.1] [0000:0000:0000:0000:0000:ffff:7f00:0001] [::ffff:0.0.0.0] [::ffff:0:0]
[::ffff:127.255.1.1]
""")


def _written(text: str, digits: str = "0123456789", dot: str = ".") -> str:
    """An address in other characters that browsers and IDNA read as digits and dots."""
    return text.translate({ord("0") + number: digits[number] for number in range(10)}).replace(".", dot)


FULL_WIDTH, BOLD, RAISED, ENCLOSED = (
    "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19",
    "".join(chr(0x1D7CE + number) for number in range(10)),
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079",
    "\u24ea\u2460\u2461\u2462\u2463\u2464\u2465\u2466\u2467\u2468",
)
DOTS = "\u3002", "\uff0e", "\uff61"  # ideographic, full-width, half-width ideographic

LOOPBACK += [
    *(_written("127.0.0.1", digits) for digits in (FULL_WIDTH, BOLD, RAISED, ENCLOSED)),
    *(_written("127.0.0.1", dot=dot) for dot in DOTS),
    _written("127.0.0.1", FULL_WIDTH, DOTS[0]),
    _written("127.1", ENCLOSED, DOTS[2]),
    "\u246b\u2466.0.0.1",  # circled twelve, circled seven
    _written("2130706433", FULL_WIDTH),
    "0\uff587f.1",  # full-width x
    "".join(chr(0x24D0 + ord(letter) - ord("a")) for letter in "localhost"),
    "".join(chr(0xFF41 + ord(letter) - ord("a")) for letter in "localhost"),
    "localho\u017ft",  # long s
]

# Private, link-local, metadata, multicast, reserved, and IPv6 forms that wrap them
ELSEWHERE = _forms("""
10.0.0.1 10.255.255.255 10.1 0xa.1 012.1 167772161 172.16.0.1 172.31.255.254 172.16.1 192.168.0.1 192.168.1 0xc0a80001
3232235521 0300.0250.0.1 100.64.0.1 100.127.255.254 198.18.0.1 198.19.255.254 192.0.2.1 198.51.100.1 203.0.113.1
192.88.99.1 192.0.0.1 192.0.0.192 192.0.0.8 192.0.0.170 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 0.0.0.1
0.1.2.3
169.254.169.254 169.254.43518 169.16689662 2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 025177524776
0251.254.169.254 0251.0xfe.43518 169.254.169.254. 169.254.170.2 169.254.0.23 169.254.42.42 169.254.1.1 100.100.100.200
100.6579400 0x64.0x64.0x64c8 168.63.129.16 0xa83f8110 metadata.google.internal metadata.goog.test instance-data.test
rancher-metadata.test private.test mapped.test nat64.test [fd00:ec2::254] [FD00:EC2:0:0:0:0:0:254] [fd20:ce::254]
[fd00:42::42] [fc00::1] [fdff:ffff::1] [fe80::1] [febf::1] [fe80::a9fe:a9fe] [fec0::1] [ff02::1] [ff0e::fb]
[2001:db8::1] [3fff::1] [4000::1] [100::1] [2001:2::1] [2001:10::1] [5f00::1] [::ffff:10.0.0.1] [::ffff:a00:1]
[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::FFFF:A9FE:A9FE] [::ffff:192.168.0.1] [0:0:0:0:0:ffff:a9fe:a9fe]
[::ffff:100.100.100.200] [::ffff:168.63.129.16] [::127.0.0.1] [::7f00:1] [::a9fe:a9fe] [::169.254.169.254]
[::10.0.0.1] [::ffff:0:127.0.0.1] [::ffff:0:7f00:1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe]
[64:ff9b::169.254.169.254] [64:ff9b::10.0.0.1] [64:ff9b:1::1] [64:ff9b:1::a9fe:a9fe] [64:ff9b::6464:64c8]
[2002:7f00:1::] [2002:7f00:1::1] [2002:a9fe:a9fe::] [2002:a9fe:a9fe::1] [2002:a00:1::1] [2002:c0a8:1::]
[2001:0:808:808:0:0:80ff:fffe] [2001::5601:5601] [2001:0000:4136:e378:8000:63bf:f5ff:fffe]
""")

ELSEWHERE += [
    *(_written("169.254.169.254", digits) for digits in (FULL_WIDTH, BOLD, RAISED, ENCLOSED)),
    *(_written("169.254.169.254", dot=dot) for dot in DOTS),
]

# No host at all, or another one than it seems: refused by the text
MALFORMED = _forms("""
http://good.test@127.0.0.1:{port}/ http://127.0.0.1:{port}@127.0.0.1:{port}/ http://user:secret@localhost:{port}/
http://%31%32%37.0.0.1:{port}/ http://%6c%6f%63%61%6c%68%6f%73%74:{port}/ http://127.0.0.1%00.good.test:{port}/
http://127.0.0.1%2ebad:{port}/ http://127.0.0.1%09:{port}/ http://localhost%20:{port}/ http://[::1%25lo]x:{port}/
http://127..1:{port}/ http://.localhost:{port}/ http://127.0.0.1:99999/ http://127.0.0.1:{port}:80/
http://[::1:{port}/ file://127.0.0.1:{port}/etc/passwd gopher://127.0.0.1:{port}/_x ftp://127.0.0.1:{port}/
dict://127.0.0.1:{port}/ http:///127.0.0.1:{port}/
""")

# Tricks in the text that lead to this machine after all
TRICKS = [
    "http://127.0.0.1\\@good.test:{port}/",
    "http://127.0.0.1:{port}\\@good.test/",
    "http:\\\\127.0.0.1:{port}\\",
    "http://127.0.\t0.1:{port}/",
    "http://127.0.\n0.1:{port}/",
    "ht\ntp://127.0.0.1:{port}/",
    "\x01 http://127.0.0.1:{port}/",
    "HTTP://127.0.0.1:{port}/",
    "http://127.0.0.1:0{port}/",
    "http://127.0.0.1:{port}#@good.test/",
    "http://127.0.0.1:{port}?@good.test/",
    "http://127.0.0.1:{port}/;@good.test/",
    "https://127.0.0.1:{port}/",
    "http://local\u00adhost:{port}/",
    "http://loc\u200balhost:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[fe80::1%251]:{port}/",
]

NAMES = {
    "localhost": [["127.0.0.1"]],  # with a dot behind it, too, which not every resolver takes
    "169.254.169.254": [["169.254.169.254"]],
    "localtest.test": [["127.0.0.1"]],
    "six.localtest.test": [["::1"]],
    "both.localtest.test": [["::1", "127.0.0.1"]],
    "127.0.0.1.ip.test": [["127.0.0.1"]],
    "metadata.google.internal": [["169.254.169.254"]],
    "metadata.goog.test": [["fd20:ce::254", "169.254.169.254"]],
    "instance-data.test": [["169.254.169.254"]],
    "rancher-metadata.test": [["169.254.169.250"]],
    "private.test": [["10.0.0.7", "192.168.7.7"]],
    "mapped.test": [["::ffff:169.254.169.254"]],
    "nat64.test": [["64:ff9b::a9fe:a9fe"]],
}


REFUSED_BY_ADDRESS = [f"http://{host}:{{port}}/" for host in (*LOOPBACK, *ELSEWHERE)]
FORMS = [*REFUSED_BY_ADDRESS, *TRICKS, *MALFORMED]
