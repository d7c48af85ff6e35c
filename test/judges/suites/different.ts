/** Cases of others that we judge differently, and the section that we judge by. */
export interface Difference {
  readonly suite: string;
  readonly id: string;
  readonly ours: string;
  readonly reason: string;
}

export const different: readonly Difference[] = [
  {
    suite: 'Key tags of ldns',
    id: 'sub.sub.jelte.nlnetlabs.nl. DNSKEY 1',
    ours: '35368',
    reason:
      'Keys of RSA/MD5 have tags of their own (RFC 4034 appendix B.1). A validator must not use the algorithm (RFC 8624 section 3.1), and ours ignores such keys.',
  },
];
