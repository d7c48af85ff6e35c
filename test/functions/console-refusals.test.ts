/** What a form of the console keeps when nothing was done: what was typed is shown again, where the reader left it. */
import { expect, test } from '@jest/globals';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as updateDomains } from '../../functions/console/update-domains.ts';
import { handler as createToken } from '../../functions/console-settings/create-token.ts';
import { handler as showSettings } from '../../functions/console-settings/show.ts';
import { Contended } from '../../shared/store/contention.ts';
import { slidingRateKey } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { formTokenOf } from '../../shared/store/sessions.ts';
import { consoleTable, follow, newSession, send } from '../kit/console.ts';
import { registeredDomain } from '../kit/reports.ts';
import { use } from '../kit/use.ts';

const table = await use(consoleTable());
process.env.API_RATE_PER_MINUTE = '4';

const newOrganization = async () => (await organizationStore(table).create('Org', new Date())).id;

const tokenForm = (cookie: string) => ({
  ...{ cookie, form: { formToken: formTokenOf(cookie), name: 'kept <one>', scope: 'write' } },
});

test('a form beyond the rate limit is filled again, once the page is allowed', async () => {
  const organization = await newOrganization();
  const cookie = await newSession(table, organization);
  for (let count = 0; count < 4; count += 1) await send(showSettings, { cookie });
  const refused = await send(createToken, tokenForm(cookie));
  const waits = await follow(showSettings, refused, { cookie });
  expect(waits.statusCode).toBe(429);
  expect(waits.body).toMatch(/try again in <strong>\d+ seconds?<\/strong>/);
  expect(waits.body).toContain('<a class="button" href="">Load this page again</a>');
  // A minute later.
  await table.delete(slidingRateKey('api', organization));
  const { body } = await follow(showSettings, refused, { cookie });
  expect(body).toContain('Too many requests. Try again in');
  expect(body).toContain('value="kept &lt;one&gt;"');
});

test('a form that other changes came before is filled again', async () => {
  const cookie = await newSession(table, await newOrganization());
  const contended = {
    now: () => {
      throw new Contended();
    },
  };
  const refused = await send(createToken.with({ clock: contended } as never), tokenForm(cookie));
  const { body } = await follow(showSettings, refused, { cookie });
  expect(body).toContain('Too many requests change this resource at the same time.');
  expect(body).toContain('value="kept &lt;one&gt;"');
});

test('a form for many domains that did nothing keeps what was ticked, and says which field is wrong', async () => {
  const domain = await registeredDomain(table);
  const cookie = await newSession(table, domain.organization);
  const common = { formToken: formTokenOf(cookie), list: '', [`on_${domain.id}`]: 'on', usageType: '' };
  const refused = await send(updateDomains, { cookie, form: { ...common, do: 'tag', tag: '' } });
  const { body = '' } = await follow(domains, refused, { cookie });
  expect(body).toContain(`name="on_${domain.id}" checked`);
  expect(body).toContain('<a href="#many-tag">The tag must ');
  const unknown = { ...common, all: 'on', do: 'tag', tag: 'x', list: 'grade=Z' };
  const other = await send(updateDomains, { cookie, form: unknown });
  expect((await follow(domains, other, { cookie })).body).toContain('is not known any more');
});
