import { expect, test } from '@jest/globals';
import { probeOnce } from '../../../../shared/checks/mx/mail-host.ts';
import type { Smtp } from '../../../../shared/network/ports.ts';

type SmtpRequest = Parameters<Smtp['probe']>[0];

const host = { hostname: 'mx.example.org', address: '192.0.2.1', timeoutMilliseconds: 1000 };

test.each([
  ['tests the recipient once for each host', 'a@example.org', {}, ['a@example.org']],
  ['tests none if none is known', undefined, {}, [undefined]],
  ['tests none where other certificates are trusted', 'a@example.org', { trustAnchors: ['x'] }, [undefined]],
] as const)('a check run %s', async (_what, recipient, more, tested) => {
  const asked: SmtpRequest[] = [];
  const smtp = probeOnce(
    {
      async probe(request) {
        asked.push(request);
        throw new Error('not reached');
      },
    },
    recipient,
  );
  const request = { ...host, ...more } as SmtpRequest;
  await expect(smtp.probe(request)).rejects.toThrow('not reached');
  await expect(smtp.probe(request)).rejects.toThrow('not reached');
  expect(asked.map((one) => one.recipient)).toEqual(tested);
});
