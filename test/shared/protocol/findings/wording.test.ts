/** The texts of findings that depend on their arguments, and what the catalogue says about kinds of rules. */
import { expect, test } from '@jest/globals';
import {
  catalogue,
  describeFor,
  isTakeover,
  saysHowItEnded,
} from '../../../../shared/protocol/findings/catalogue.ts';
import { excerpt, excerpts } from '../../../../shared/protocol/findings/excerpt.ts';
import { describe, endOf, isSame } from '../../../../shared/protocol/findings/finding.ts';
import { asWritten, byAnswer, listed } from '../../../kit/answers.ts';

const day = '2026-03-05';

/** Findings with arguments that change their text. */
const variants = listed(`
    mx-tlsa-renewal-breaks {"host":"mx","name":"_25._tcp.mx","evidence":["a","b"],"due":"2026-03-05","records":["3 1 1"],"publish":["a","b"]}
    mx-tlsa-renewal-breaks {"host":"mx","name":"_25._tcp.mx","evidence":["a"],"due":"any day now","records":["3 1 1","3 1 2"],"publish":[]}
    mx-tlsa-renewal-unknown {"host":"mx","name":"_25._tcp.mx","evidence":["a"],"due":"2026-03-05","records":["3 1 1"],"publish":[],"prepared":true}
    mx-tlsa-renewal-unknown {"host":"mx","name":"_25._tcp.mx","evidence":["a"],"due":"any day now","records":["3 1 1"],"publish":[],"prepared":false}
    mx-tlsa-mismatch {"host":"mx","ip":"192.0.2.1"} | mx-tlsa-mismatch {"host":"mx","ip":"192.0.2.1","reason":"why"}
    spf-duplicate-term {"domain":"a.org","term":"a","first":"a"} | spf-duplicate-term {"domain":"a.org","term":"a","first":"A"}
    spf-duplicate-term {"domain":"a.org","term":"x=1","first":"x=1"} | spf-duplicate-term {"domain":"a.org","term":"a:x=1.org","first":"a:x=1.org"}
    spf-overlap {"domain":"a.org","term":"a","range":"192.0.2.0/24","within":"192.0.2.0/24","other":"b","otherDomain":"b.org"}
    spf-overlap {"domain":"a.org","term":"a","range":"192.0.2.0/25","within":"192.0.2.0/24","other":"b","otherDomain":"b.org"}
    spf-lookup-unavailable {"question":"a TXT"} | spf-lookup-unavailable {"question":"a TXT","reason":"timeout"}
    spf-addresses-unavailable {"question":"a A"} | spf-repeated-include {"target":"a.org","count":2,"lookups":1}
    spf-expansion-cut {"limit":"terms"} | spf-expansion-cut {"limit":"another"}
    dkim-used-key-gone {"selector":"s","day":"2026-03-05"} | dkim-used-key-gone {"selector":"s","day":"2026-03-05","messages":2}
    dkim-used-key-gone {"selector":"s","day":"2026-03-05","messages":1,"failingUntil":"2026-03-06"}
    dkim-key-shared {"selector":"s","domains":["a","b","c","d"]} | dkim-key-shared {"selector":"s","domains":["a","b","c","d","e"]}
    dkim-incomplete {"unavailable":3,"tried":3} | dkim-incomplete {"unavailable":2,"tried":3} | dmarc-missing {"domain":"a.org"}
    dmarc-invalid-value {"tag":"p","value":"x","instead":"none"} | dmarc-invalid-value {"tag":"aspf","value":"x","instead":"r"}
    dmarc-invalid-value {"tag":"p","value":"x","instead":"none","policies":"sp=reject"}
    dmarc-void-record {"tag":"sp","value":"bob"} | dmarc-void-record {"tag":"p","value":"bob","policies":"sp=reject"}
    dmarc-weaker-subdomain-policy {"tag":"np","value":"none","policy":"reject"} | dmarc-weaker-subdomain-policy {"tag":"sp","value":"none","policy":"reject"}
    dmarc-testing {} | dmarc-testing {"percentage":0} | dmarc-malformed-uri {"tag":"rua","uris":[""]} | dmarc-malformed-uri {"tag":"rua","uris":["x","y"]}
    dmarc-missing-rua {} | dmarc-missing-rua {"record":"v=DMARC1; p=none"} | mta-sts-missing {} | mta-sts-missing {"dane":true} | mta-sts-missing {"dane":false}
    mta-sts-policy-without-record {} | mta-sts-policy-without-record {"mode":"enforce"} | mta-sts-policy-without-record {"mode":"testing"}
    mta-sts-policy-malformed {"line":1,"text":"x","count":1} | mta-sts-policy-malformed {"line":1,"text":"x","count":2}
    tls-rpt-missing {} | tls-rpt-rua-missing {} | bimi-logo-text {"element":"g","line":1,"count":1} | bimi-logo-text {"element":"g","line":1,"count":2}
    dnssec-cds-pending {"zone":"a","wanted":["1","2"],"has":[]} | dnssec-cds-pending {"zone":"a","wanted":["1"],"has":["2","3"]}`);

test('the recorded texts', () => {
  const texts = (variant: string) => {
    const id = variant.slice(0, variant.indexOf(' '));
    const finding = { id, severity: 'notice', arguments: JSON.parse(variant.slice(id.length)) } as const;
    const { message, fix } = describeFor({ domain: 'example.org' })(finding);
    const other = describeFor({ domain: 'example.org', mailbox: 'a@b.org' })(finding).fix;
    return [message, `Fix: ${fix}`, ...(other === fix ? [] : [`With a mailbox: ${other}`])].join('\n  ');
  };
  expect(byAnswer(asWritten(variants), texts)).toMatchSnapshot();
});

test('the rules of each kind', () => {
  const ids = Object.keys(catalogue);
  const having = (isKind: (id: string) => boolean) => ids.filter(isKind).join(' ');
  expect({
    alert: having((id) => catalogue[id]?.raisesAlert === true),
    takeover: having((id) => isTakeover({ id })),
    ended: having((id) => saysHowItEnded({ id })),
    failedLookup: having((id) => catalogue[id]?.failedLookup === 'check'),
    failedPart: having((id) => catalogue[id]?.failedLookup === 'part'),
    otherState: having((id) => catalogue[id]?.state !== undefined),
  }).toMatchSnapshot();
});

test('how a finding ended', () => {
  const gone = { id: 'dkim-used-key-gone', severity: 'warning', arguments: { selector: 's', day } } as const;
  expect(endOf(gone, catalogue, ['s:v=DKIM1; p=x'])).toBe('The key of selector s is back.');
  expect(endOf(gone, catalogue, ['s2:v=DKIM1; p=x', 'x'])).toMatch(/^Selector s still has no key\./);
  const unknown = { ...gone, id: 'unknown', arguments: {} };
  expect(describe(unknown, catalogue, { domain: 'a.org' })).toMatchObject({
    message: expect.stringContaining('unknown'),
    fix: 'Run the check again.',
  });
  expect([isSame(gone, gone), isSame(gone, unknown), isSame(gone, { ...gone, subject: 's' })]).toEqual([
    true,
    false,
    false,
  ]);
});

test('excerpts at their limits', () => {
  const texts = [79, 80, 81].map((length) => excerpt('x'.repeat(length)).length);
  expect([...texts, excerpt('abcdef', 3), excerpt('é\u202e')]).toEqual([
    79,
    80,
    83,
    'abc...',
    '\\u{e9}\\u{202e}',
  ]);
  const lists = [9, 10, 11, 12].map((count) => excerpts(Array<string>(count).fill('x')).slice(-2).join());
  expect(lists).toEqual(['x,x', 'x,x', 'x,1 more', 'x,2 more']);
});
