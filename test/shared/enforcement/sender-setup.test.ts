/** How to set a sender up, without harm to other mail. */
import { describe, expect, test } from '@jest/globals';
import { nothingToSetUp, setupOf } from '../../../shared/enforcement/sender-setup.ts';

const sender = (given: object = {}) => ({
  ...{ id: 'provider-a', name: 'SendGrid', kind: 'provider' as const, status: null },
  ...{ messages: 10, dkimAligned: 0, spfAligned: 0, ...given },
});
const envelope = (...names: readonly string[]) => ({
  envelopes: names.map((name) => ({ name, messages: 5, passedMessages: 0 })),
});
const steps = (given: object, ...envelopes: readonly string[]) =>
  setupOf(sender(given), envelope(...envelopes), 'example.org').map(({ done, text }) => [done, text]);

test('DKIM comes first; an include that receivers would not read is advised against', () => {
  const [dkim, spf] = steps({}, 'bounce.sendgrid.net');
  expect(dkim).toEqual([false, expect.stringContaining('In the settings of SendGrid, authenticate')]);
  expect(spf).toEqual([false, expect.stringContaining('an include there changes nothing')]);
});

test('a service with the domain in MAIL FROM is included there, by the name that it asks for', () => {
  const [, spf] = steps({ dkimAligned: 3 }, 'sendgrid.net', 'em1.example.org');
  expect(spf?.[1]).toContain('In the SPF record of em1.example.org, add include:sendgrid.net before');
  expect(steps({ dkimAligned: 3 })[0]?.[1]).toMatch(/^Some of its mail is signed like that/);
  const unknown = steps({ kind: 'domain', name: 'example.net' }, 'example.org');
  expect(unknown[1]?.[1]).toContain('authorize the addresses of the sender, and no more');
  // Not a subdomain.
  expect(steps({}, 'notexample.org')[1]?.[1]).toContain('changes nothing');
});

test('what all mail has is done', () => {
  expect(steps({ dkimAligned: 10, spfAligned: 10 }).map(([done]) => done)).toEqual([true, true]);
  expect(steps({ dkimAligned: 9, spfAligned: 9 }, 'example.org').map(([done]) => done)).toEqual([
    false,
    false,
  ]);
});

describe('nothing is set up for', () => {
  test.each([
    [{ status: 'unauthorized' }, 'do not authorize it in the SPF record of example.org'],
    [{ status: 'forwarder' }, 'everybody whose mail it forwards could then pass as you'],
    [{ id: 'others-a', name: 'SendGrid, other customers' }, 'from then on, reports show it as SendGrid.'],
  ])('%j', (given, said) => {
    expect(nothingToSetUp(sender(given) as never, 'example.org')).toContain(said);
  });

  test('no other sender', () => {
    expect(nothingToSetUp(sender({ status: 'approved' }) as never, 'example.org')).toBeUndefined();
  });
});
