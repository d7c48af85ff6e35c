/** The search of the console on real stores. */
import { describe, expect, test } from '@jest/globals';
import { handler as search } from '../../functions/console/search.ts';
import { handler as senders } from '../../functions/console/senders.ts';
import { keepSums } from '../../shared/enforcement/organization-sums.ts';
import { domainSumsStore } from '../../shared/store/reports/domain-sums.ts';
import { consoleTable, newSession, send } from '../kit/console.ts';
import { newsletter, ownMail, report } from '../kit/report-history.ts';
import { registerDomain, registeredDomain } from '../kit/reports.ts';
import { use } from '../kit/use.ts';

const table = await use(consoleTable());
const domain = await registeredDomain(table);
const { organization } = domain;
for (const name of ['a-example.org', 'b-example.org'])
  await registerDomain(table, organization, name, new Date());
const stranger = await registeredDomain(table, 'example.org.example');
const day = new Date().toISOString().slice(0, 10);
const days = [{ day, summaries: [report([newsletter(), ownMail({ sourceIp: '192.0.2.9' })])] }];
await keepSums(domain, days, domainSumsStore(table, { retentionDays: 0 }), new Date());
const session = (organization: string) => newSession(table, organization, { scope: 'read' });
const cookie = await session(organization);
const strangers = await session(stranger.organization);

const found = async (q: string, of = cookie) => {
  const { body = '' } = await send(search, { cookie: of, query: `${new URLSearchParams({ q })}` });
  const main = body.slice(body.indexOf('<main'), body.indexOf('<dialog'));
  return [...main.matchAll(/<(?:h3|li class="card")><a href="[^"]*">([^<]+)</g)].map(([, name]) => name);
};

describe('a search', () => {
  test.each([
    ['Example.ORG', ['example.org', 'a-example.org', 'b-example.org']],
    ['https://www.example.org/about', ['example.org', 'a-example.org', 'b-example.org']],
    ['postmaster@example.org', ['example.org', 'a-example.org', 'b-example.org']],
    ['example.net', ['example.net']],
    ['tok', ['Tokens']],
    ['RETENTION', ['Limits']],
    ['', []],
    ['nothing like that', []],
  ])('for "%s"', async (q, names) => {
    expect(await found(q)).toEqual(names);
  });

  test('shows ten domains, the one with that name first, and says that there are more', async () => {
    const many = await registeredDomain(table, 'm.many.example');
    const add = (n: number) => registerDomain(table, many.organization, `m${n}.m.many.example`, new Date());
    const own = await session(many.organization);
    const more = async () => {
      const { body = '' } = await send(search, { cookie: own, query: 'q=m.many.example' });
      return body.includes('/console/domains?q=m.many.example');
    };
    for (let n = 1; n < 10; n += 1) await add(n);
    expect([(await found('m.many.example', own)).length, await more()]).toEqual([10, false]);
    await add(0);
    expect([await found('m.many.example', own), await more()]).toEqual([
      ['m.many.example', ...Array.from({ length: 9 }, (_, n) => `m${n}.m.many.example`)],
      true,
    ]);
  });

  test('finds nothing of another organization', async () => {
    expect(await found('example.org', strangers)).toEqual(['example.org.example']);
    expect(await found('example.net', strangers)).toEqual([]);
    expect((await send(senders, { cookie: strangers })).body).not.toContain('example.net');
  });

  test.each([
    ['', [true, true]],
    ['failing=true', [false, true]],
    ['q=EXAMPLE.net', [false, true]],
    ['q=other', [false, false]],
    ['page=2', [false, false]],
  ])('of senders with "%s" shows those that pass, and those that fail: %j', async (query, shown) => {
    const { body = '' } = await send(senders, { cookie, query });
    const names = ['192.0.2.0/24', 'example.net'].map((name) => body.includes(`>${name}</a> `));
    expect(names).toEqual(shown);
  });

  test('shows what was searched for, escaped, also in its field', async () => {
    const { body } = await send(search, { cookie, query: 'q=%3Cb%3E%22%E2%80%AE' });
    expect(body).toContain('name="q" value="&lt;b&gt;&quot;\u202e"');
    expect(body).toContain('<strong>&lt;b&gt;&quot;<span class="odd">\\u{202e}</span></strong>: none');
  });
});
