/** SPF records of every kind, as master file lines of the zone `example.org`. */
export const spfZone: readonly string[] = [
  '@ IN TXT "v=spf1 ip4:192.0.2.0/24 a:mail.example.org include:_spf.example.org ~include:soft.example.org -all"',
  'mail IN A 198.51.100.7',
  '_spf IN TXT "v=spf1 ip4:203.0.113.0/25 ip4:203.0.113.128/25 ip6:2001:db8::/32 include:deep.example.org ~all"',
  'deep IN TXT "v=spf1 ip4:198.51.100.64/26 ?all"',
  'soft IN TXT "v=spf1 ip4:198.51.100.200 -all"',
  'none IN TXT "just a text"',
  'broken IN TXT "v=spf1 ipv4:192.0.2.1 -all"',
  'twice IN TXT "v=spf1 -all"',
  'twice IN TXT "v=spf1 ~all"',
  'partly IN TXT "v=spf1 ip4:192.0.2.1 include:elsewhere.example -all"',
  ...Array.from({ length: 12 }, (_, n) => `m${n} IN A 192.0.2.${n}`),
  `many IN TXT "v=spf1 ${Array.from({ length: 12 }, (_, n) => `a:m${n}.example.org`).join(' ')} -all"`,
  'hostile IN TXT "v=spf1 include:<script>alert(1)</script> a:\\"onmouseover=alert(2)\\" exp=\'><img/src=x/onerror=alert(3)>"' +
    ` " ip4:1.2.3.4\\226\\128\\1740.0/8 \\000\\007x </style></title></code>&lt; javascript:alert(4)" " ${'w'.repeat(240)}" "${'w'.repeat(250)} -all"`,
];
