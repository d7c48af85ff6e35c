/** Who sends as the example domains in the sample reports. All of it is invented. */

/** One source of a domain's mail. Addresses are from the documentation networks (RFC 5737). */
export interface Sender {
  /** The source address; with several, each report has one of them. */
  readonly addresses: readonly string[];
  /** The days between two reports about this source. */
  readonly everyDays: number;
  /** Messages a day, at least and at most. */
  readonly messages: readonly [least: number, most: number];
  /** The MAIL FROM domain and its SPF result; null without one, as in bounces. */
  readonly spf: { readonly domain: string; readonly result: 'pass' | 'fail' | 'permerror' } | null;
  /** The signature, if any. */
  readonly dkim?: { readonly domain: string; readonly selector: string };
}

export interface SampleDomain {
  readonly domain: string;
  readonly policy: 'none' | 'quarantine' | 'reject';
  readonly senders: readonly Sender[];
  /** Whether senders report on TLS: the MX host, and whether it offers TLS. */
  readonly tls?: { readonly mx: string; readonly works: boolean };
}

/** The domain's own mail servers. */
const own = (domain: string, addresses: readonly string[], selector?: string): Sender => ({
  addresses,
  everyDays: 1,
  messages: [8, 30],
  spf: { domain, result: 'pass' },
  ...(selector === undefined ? {} : { dkim: { domain, selector } }),
});

/** A mailing list or alumni address: SPF fails, the signature of the domain survives. */
const forwarder = (domain: string, selector: string): Sender => ({
  addresses: ['198.51.100.20'],
  everyDays: 2,
  messages: [1, 4],
  spf: { domain: 'lists.forwarder.example', result: 'pass' },
  dkim: { domain, selector },
});

/** A newsletter service that nobody set up for the domain: it authenticates as itself only. */
const newsletter: Sender = {
  addresses: ['203.0.113.40', '203.0.113.41'],
  everyDays: 7,
  messages: [20, 60],
  spf: { domain: 'bounce.newsletter.example', result: 'pass' },
  dkim: { domain: 'newsletter.example', selector: 'n1' },
};

const spoofing = (domain: string, everyDays: number): Sender => ({
  addresses: Array.from({ length: 25 }, (_, number) => `203.0.113.${130 + 4 * number}`),
  everyDays,
  messages: [1, 9],
  spf: { domain, result: 'fail' },
});

/** The example domains that can be verified, with the policies that they publish. */
export const sampleDomains: readonly SampleDomain[] = [
  {
    domain: 'good.test',
    policy: 'reject',
    senders: [
      own('good.test', ['192.0.2.11', '192.0.2.12'], 'google'),
      forwarder('good.test', 'google'),
      newsletter,
      spoofing('good.test', 5),
    ],
    tls: { mx: 'mx1.good.test', works: true },
  },
  {
    domain: 'weak.test',
    policy: 'none',
    senders: [
      own('weak.test', ['192.0.2.15'], 'default'),
      forwarder('weak.test', 'default'),
      newsletter,
      spoofing('weak.test', 2),
    ],
    tls: { mx: 'mx.weak.test', works: false },
  },
  {
    domain: 'broken-spf.test',
    policy: 'quarantine',
    senders: [
      {
        addresses: ['192.0.2.130'],
        everyDays: 7,
        messages: [5, 15],
        spf: { domain: 'broken-spf.test', result: 'permerror' },
      },
    ],
  },
  {
    domain: 'send-only.test',
    policy: 'reject',
    senders: [
      { ...own('send-only.test', ['192.0.2.64', '192.0.2.65'], 'google'), everyDays: 7 },
      spoofing('send-only.test', 21),
    ],
  },
  {
    domain: 'receive-only.test',
    policy: 'reject',
    senders: [spoofing('receive-only.test', 21)],
    tls: { mx: 'mx.receive-only.test', works: true },
  },
  { domain: 'parked.test', policy: 'reject', senders: [spoofing('parked.test', 14)] },
  {
    domain: 'local.test',
    policy: 'reject',
    senders: [{ ...own('local.test', ['127.0.0.1']), everyDays: 7, messages: [1, 3] }],
  },
];
