/** A check run of a signed zone, beside which somebody else has one, too. */
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { createRecorder, type RecordedRun } from '../../../shared/checks/recording/record.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { RecordSet } from '../../../shared/protocol/dns.ts';
import { fakeSmtp } from '../../kit/fake-smtp.ts';
import { fakeWeb } from '../../kit/web.ts';
import {
  anchorOf,
  clock,
  delegation,
  makeKey,
  rdata,
  signed,
  world,
  zoneSets,
} from '../protocol/dnssec/signed-world.ts';

export const DOMAIN = 'example.test';
export const FOREIGN = 'attacker.test';
export const root = makeKey('');
const [parent, own, foreign] = [makeKey('test'), makeKey(DOMAIN), makeKey(FOREIGN)];
const text = (name: string, content: string, key = own) =>
  signed({ name, type: 'TXT', rdata: [rdata.TXT(content)] }, key);

const sets: readonly RecordSet[] = [
  ...[root, parent, own, foreign].flatMap(zoneSets),
  delegation(parent, root),
  ...[own, foreign].map((key) => delegation(key, parent)),
  text(`_dmarc.${DOMAIN}`, 'v=DMARC1; p=reject'),
  text(`_dmarc.${FOREIGN}`, 'v=DMARC1; p=none', foreign),
  text(`google._domainkey.${DOMAIN}`, `v=DKIM1; p=${'A'.repeat(200)}`),
  ...[own, foreign].map((key) =>
    signed({ name: key.zone, type: 'NS', rdata: [rdata.name(`ns.${key.zone}`)] }, key),
  ),
  signed({ name: `mx.${DOMAIN}`, type: 'A', rdata: [rdata.A('192.0.2.1')] }, own),
  signed({ name: `mta-sts.${DOMAIN}`, type: 'CNAME', rdata: [rdata.name(`mx.${DOMAIN}`)] }, own),
];

/** What is asked by and answered to the checks of the domain, and what they found. */
export async function recordSigned(
  domain = DOMAIN,
): Promise<RecordedRun & { readonly results: CheckResults }> {
  const recorder = createRecorder(clock);
  const results = await inspectDomain(
    { domain, testEmailLocalPart: null, knownSelectors: [] },
    {
      network: {
        ...{ dns: world(sets), web: fakeWeb({}), clock },
        smtp: fakeSmtp(() => ({ status: 'unavailable', reason: 'timeout', detail: '' })),
      },
      trustAnchors: [anchorOf(root)],
      recorder,
    },
  );
  const run = recorder.run();
  if (run === undefined) throw new Error('nothing was recorded');
  const plain: typeof run = { ...run, recording: JSON.parse(JSON.stringify(run.recording)) };
  return { ...plain, results: JSON.parse(JSON.stringify(results)) };
}
