import { expect, test } from '@jest/globals';
import { MOST_IN_FORM } from '../../../../shared/api/many-domains.ts';
import { organizationSenderPage } from '../../../../shared/pages/console/organization-sender.ts';

test.each([
  [1, 'this domain'],
  [2, 'all 2 domains'],
  [MOST_IN_FORM, 'all 1,000 domains'],
  [MOST_IN_FORM + 1, 'the first 1,000 of 1,001 domains'],
])('a decision about a sender of %i domains is for as many as a form can change', (number, said) => {
  const domains = Array.from({ length: number }, (_, n) => ({
    ...{ domainId: `id-${n}`, domain: `d${n}.example`, messages: 10, passed: 4 },
  }));
  const sender = {
    ...({
      id: 'sender',
      name: 'Sender',
      kind: 'network',
      messages: 10 * number,
      passed: 4 * number,
    } as const),
    ...{ domains, decided: new Map([['id-0', null]]) },
  };
  const page = organizationSenderPage({ sender, canWrite: true, formToken: 'token' });
  expect(page).toContain(`>Decide for ${said}<`);
  expect(page).toContain('>no decision<');
  expect(page.includes('>on its page<')).toBe(number > 1);
});
