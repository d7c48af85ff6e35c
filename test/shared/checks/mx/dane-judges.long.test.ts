/**
 * DANE verdicts on real SMTP hosts beside those of OpenSSL, with which Postfix and most other senders decide (RFC 7671,
 * RFC 7672): a table of records by chain as sent by fault.
 */
import type { X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import type { TlsaRecord } from '../../../../shared/protocol/dns.ts';
import {
  createChain,
  createImpostor,
  createSelfSigned,
  type Fault,
  faults,
  MAIL_HOST,
  tlsaOf,
} from '../../../kit/certificate-chains.ts';
import { hasOpenssl, opensslAccepts, smtpTo } from '../../../kit/dane-tools.ts';
import { startSmtpHost } from '../../../kit/smtp-host.ts';
import { use } from '../../../kit/use.ts';
import { zone } from '../../../kit/zone.ts';
import { differencesOf } from '../../protocol/dnssec/judge-differences.ts';

interface Presented {
  readonly title: string;
  readonly sent: readonly X509Certificate[];
  readonly key: string;
  /** The records of each scenario, by title. */
  readonly records: ReadonlyMap<string, readonly TlsaRecord[]>;
}

const impostor = createImpostor();
const stranger = createSelfSigned().leaf;

/** The records for one chain: every usable kind for each certificate, and combinations. */
function recordsFor(
  { leaf, intermediate, root }: Omit<ReturnType<typeof createChain>, 'key'>,
  isBrief: boolean,
): Map<string, readonly TlsaRecord[]> {
  const records = new Map<string, readonly TlsaRecord[]>();
  const parameters = [0, 1].flatMap((selector) => [0, 1, 2].map((type) => [selector, type] as const));
  for (const [selector, type] of isBrief ? ([[1, 1]] as const) : parameters) {
    records.set(`3 ${selector} ${type} leaf`, [tlsaOf(leaf, 3, selector, type)]);
    records.set(`2 ${selector} ${type} intermediate`, [tlsaOf(intermediate, 2, selector, type)]);
    records.set(`2 ${selector} ${type} root`, [tlsaOf(root, 2, selector, type)]);
  }
  if (isBrief) {
    records.set('2 0 0 root', [tlsaOf(root, 2, 0, 0)]);
    records.set('2 1 0 intermediate', [tlsaOf(intermediate, 2, 1, 0)]);
    return records;
  }
  records.set('2 1 1 leaf', [tlsaOf(leaf, 2, 1, 1)]);
  records.set('2 0 0 leaf', [tlsaOf(leaf, 2, 0, 0)]);
  records.set('3 1 1 root', [tlsaOf(root, 3, 1, 1)]);
  records.set('3 1 1 stranger', [tlsaOf(stranger, 3, 1, 1)]);
  records.set('2 1 1 impostor', [tlsaOf(impostor, 2, 1, 1)]);
  records.set('2 0 0 impostor', [tlsaOf(impostor, 2, 0, 0)]);
  records.set('3 1 1 stranger, 2 1 1 root', [tlsaOf(stranger, 3, 1, 1), tlsaOf(root, 2, 1, 1)]);
  // Only the strongest digest counts (RFC 7671 section 9).
  records.set('3 1 2 stranger, 3 1 1 leaf', [tlsaOf(stranger, 3, 1, 2), tlsaOf(leaf, 3, 1, 1)]);
  records.set('3 1 1 stranger, 3 1 2 leaf', [tlsaOf(stranger, 3, 1, 1), tlsaOf(leaf, 3, 1, 2)]);
  records.set('3 0 2 stranger, 3 1 1 leaf', [tlsaOf(stranger, 3, 0, 2), tlsaOf(leaf, 3, 1, 1)]);
  return records;
}

const inOrder = createChain('none');
const { leaf, intermediate, root, key } = inOrder;
const shapes: readonly (readonly [string, readonly X509Certificate[]])[] = [
  ['all in order', [leaf, intermediate, root]],
  ['without the root', [leaf, intermediate]],
  ['the leaf alone', [leaf]],
  ['in another order', [leaf, root, intermediate]],
  ['with extras', [leaf, stranger, intermediate, root, impostor]],
  ['after a CA of the same name', [leaf, intermediate, impostor, root]],
  ['without the intermediate', [leaf, root]],
];
const selfSigned = createSelfSigned();
const presented: readonly Presented[] = [
  ...shapes.map(([title, sent]) => ({ title, sent, key, records: recordsFor(inOrder, false) })),
  ...faults
    .filter((fault): fault is Exclude<Fault, 'none'> => fault !== 'none')
    .map((fault) => {
      const chain = createChain(fault);
      const sent = [chain.leaf, chain.intermediate, chain.root];
      return { title: fault, sent, key: chain.key, records: recordsFor(chain, true) };
    }),
  {
    title: 'self-signed',
    sent: [selfSigned.leaf],
    key: selfSigned.key,
    records: new Map(
      [3, 2].flatMap((usage) =>
        [0, 1].flatMap((selector) =>
          [0, 1].map((type) => [
            `${usage} ${selector} ${type}`,
            [tlsaOf(selfSigned.leaf, usage, selector, type)],
          ]),
        ),
      ),
    ),
  },
];

const scenarios = presented.flatMap(({ title, records }, at) =>
  [...records].map(([kind, tlsa]) => ({ title: `${title}: ${kind}`, at, tlsa })),
);

const explained = differencesOf('OpenSSL');

const hosts = await Promise.all(
  presented.map(({ sent, key: ofLeaf }) =>
    use(
      startSmtpHost({
        certificate: {
          cert: '',
          key: ofLeaf,
          chain: sent.map((certificate) => certificate.toString()).join(''),
        },
      }),
    ),
  ),
);

/** Whether the check says that senders with DANE can deliver. */
async function ours(port: number, tlsa: readonly TlsaRecord[]) {
  const dns = zone({
    'example.org': { MX: [[10, MAIL_HOST]] },
    [MAIL_HOST]: { A: ['192.0.2.1'] },
    [`_25._tcp.${MAIL_HOST}`]: { TLSA: tlsa },
  });
  const network = { dns, smtp: smtpTo(port, dns), clock: systemClock };
  const { daneSupported, findings } = await inspectMx('example.org', network, {
    authenticate: async () => 'secure',
  });
  const mismatch = findings.some(({ id }) => id === 'mx-tlsa-mismatch');
  expect(mismatch).toBe(daneSupported === false);
  return daneSupported;
}

const openssl = (port: number, tlsa: readonly TlsaRecord[]): Promise<boolean> => {
  const values = tlsa.map(({ usage, selector, matchingType, certificate }) =>
    [usage, selector, matchingType, Buffer.from(certificate).toString('hex')].join(' '),
  );
  return opensslAccepts(port, MAIL_HOST, values);
};

/** Chains that lead to the root, which is in the records; these are valid. */
const validChains: readonly string[] = [
  'all in order',
  'in another order',
  'with extras',
  'after a CA of the same name',
  'common name only',
];
const anchored = presented.flatMap(({ title, sent }, at) => {
  const top = sent.findLast((it) => it.subject === 'CN=Chain Root' && it !== impostor);
  return top === undefined ? [] : [{ title, at, top }];
});

test.each(anchored)('a chain up to an authority in the records: $title', async ({ title, at, top }) => {
  const own = await ours(hosts[at]?.port ?? 0, [tlsaOf(top, 2, 1, 1)]);
  expect(own).toBe(validChains.includes(title));
});

(hasOpenssl ? describe : describe.skip)('DANE as OpenSSL does it', () => {
  test.each(scenarios)('$title', async ({ title, at, tlsa }) => {
    const port = hosts[at]?.port ?? 0;
    const [own, judge] = await Promise.all([ours(port, tlsa), openssl(port, tlsa)]);
    expect({ own, differs: own !== judge }).toEqual({ own, differs: title in explained });
  });
});
