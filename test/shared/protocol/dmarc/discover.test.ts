import { describe, expect, test } from '@jest/globals';
import {
  discoverPolicy,
  oneStepLess,
  treeWalkDomains,
  walkToOrganizationalDomain,
} from '../../../../shared/protocol/dmarc/discover.ts';
import { policies } from '../../../../shared/protocol/dmarc/record.ts';
import { asWritten, byAnswer, byLateAnswer, listed, type Named, words } from '../../../kit/answers.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const txt = (...TXT: string[]) => ({ TXT });
const here = { A: ['192.0.2.1'] };

async function answer(domain: string, literal: ZoneLiteral): Promise<string> {
  const [discovery, home] = await Promise.all([
    discoverPolicy(domain, zone(literal)),
    walkToOrganizationalDomain(domain, zone(literal)),
  ]);
  const ids = (findings: readonly { readonly id: string; readonly subject?: string }[]) =>
    findings
      .filter(({ id }) => id !== 'dmarc-missing-rua')
      .map(({ id, subject = '' }) => ` ${id} ${subject}`)
      .join('');
  if (discovery.status === 'unavailable')
    return `${discovery.name} ${discovery.reason}, organization ${home}`;
  const { status, organizationalDomain, discarded, findings } = discovery;
  const told = `organization ${organizationalDomain}${organizationalDomain === home ? '' : `, not ${home}`}, ${discarded.length} discarded${ids(findings)}`;
  if (status === 'absent') return `no policy, ${told}`;
  const { recordDomain, appliedTag, policy, effectivePolicy } = discovery;
  return `${appliedTag} of ${recordDomain} ${policy}${policy === effectivePolicy ? '' : ` as ${effectivePolicy}`}, ${told}`;
}

test('recorded names of tree walks (RFC 9989 section 4.10)', () => {
  const names =
    listed(`org | example.org | a.mail.example.org | b.c.d.e.f.g.org | b.c.d.e.f.example.org | a.b.c.d.e.f.example.org
    z.a.b.c.d.e.f.example.org | a.b.c.d.e.f.g.h.i.j.mail.example.com`);
  expect(byAnswer(asWritten(names), (name) => treeWalkDomains(name).join(' '))).toMatchSnapshot();
});

describe('recorded policies (RFC 9989 sections 4.10.1 and 4.10.2)', () => {
  /** What there can be at a name. */
  const kinds: ZoneLiteral = {
    '-': {},
    p: txt('v=DMARC1; p=reject; sp=quarantine; np=none', 'text'),
    n: txt('v=DMARC1; p=reject; sp=none; psd=n'),
    y: txt('v=DMARC1; p=quarantine; psd=y'),
    2: txt('v=DMARC1; p=reject', 'v=DMARC1; p=none'),
    x: txt('v=DMARC1; p=reject; sp=x'),
    l: txt('v=dmarc1; p=reject'),
    f: 'SERVFAIL',
  };

  test('with every combination of records at the three names of a walk', async () => {
    const all = Object.keys(kinds);
    const combinations = all.flatMap((own) => all.flatMap((above) => all.map((top) => own + above + top)));
    const places = ['a.b.c', 'b.c', 'c'];
    const literalOf = (combination: string) =>
      Object.fromEntries([...combination].map((kind, at) => [`_dmarc.${places[at]}`, kinds[kind] ?? {}]));
    const answers = await byLateAnswer(
      combinations.map((combination): Named<string> => [combination, combination]),
      (combination) => answer('a.b.c', { 'a.b.c': here, ...literalOf(combination) }),
    );
    // One line for each answer: there are hundreds of combinations.
    expect(
      answers.replaceAll(/\n {4}/g, ' ').replaceAll(/^(.*?) ((?:[-pny2xlf]{3} ?)+)$/gm, '$1\n    $2'),
    ).toMatchSnapshot();
  });

  test('of names that exist, or do not, or perhaps', async () => {
    const places: ZoneLiteral = {
      'exists.example.org': here,
      'alias.example.org': { CNAME: ['gone.example.net'] },
      'below.ent.example.org': here,
      'failing.example.org': 'TIMEOUT',
      'half.example.org': { MX: 'TIMEOUT', ...here },
    };
    const names = words('exists alias gone ent failing half').map((name) => `${name}.example.org`);
    const tags = listed(
      `p=reject | p=reject; np=none | p=reject; sp=none; np=none | p=none; np=quarantine; t=y`,
    );
    const questions = tags.flatMap((of) =>
      names.map((name): Named<readonly [string, string]> => [`${of}: ${name}`, [of, name]]),
    );
    const asked = ([of, name]: readonly [string, string]) =>
      answer(name, { ...places, '_dmarc.example.org': txt(`v=DMARC1; ${of}`) });
    expect(await byLateAnswer(questions, asked)).toMatchSnapshot();
  });

  test('with t=y, and of broken records', async () => {
    const tags = [
      ...policies.map((p) => `p=${p}; t=y`),
      'adkim=s',
      'p=x; rua=mailto:a@b.c',
      'p=reject; sp=none; t=y',
    ];
    const named = tags.map((of): Named<string> => [of, of]);
    expect(
      await byLateAnswer(named, (of) =>
        answer('example.org', { '_dmarc.example.org': txt(`v=DMARC1; ${of}`) }),
      ),
    ).toMatchSnapshot();
    expect(policies.map(oneStepLess)).toEqual(['none', 'none', 'quarantine']);
  });
});

describe('discovery', () => {
  test('needs no query for names that are too long', async () => {
    const label = 'a'.repeat(61);
    const domain = `${label}.${label}.${label}.${label}`;
    const dns = zone({ [`_dmarc.${label}.${label}.${label}`]: txt('v=DMARC1; p=reject') });
    expect(domain).toHaveLength(247);
    expect(await discoverPolicy(domain, dns)).toMatchObject({ status: 'found', policy: 'reject' });
    expect(dns.questions).not.toContain(`_dmarc.${domain} TXT`);
  });
});

test('discovery sends all queries concurrently', async () => {
  const dns = zone({ '_dmarc.example.org': txt('v=DMARC1; p=none; np=reject') }, { delayMilliseconds: 200 });
  await discoverPolicy('a.b.c.d.example.org', dns);
  expect(dns.mostAtOnce).toBe(7);
  expect(dns.questions).toHaveLength(7);
});
