import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type ServedCertificate, serveCertificate } from '../../../../lib/local/host/certificate.ts';
import { ConfigError } from '../../../../shared/runtime/config/config.ts';
import { createLog } from '../../../../shared/runtime/logging/log.ts';
import { createAuthority, expired, notYetValid } from '../../../kit/certificates.ts';
import { until } from '../../../kit/until.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';

const authority = createAuthority();
const issued = (valid?: Parameters<typeof authority.issue>[1]) => authority.issue(['mx.acme.org'], valid);
const pairOf = (valid: Parameters<typeof issued>[0]): [cert: string, key: string] => {
  const { chain, key } = issued(valid);
  return [chain, key];
};
const LOOK_MILLISECONDS = 20;

let folder: string;
beforeEach(() => {
  folder = useFolder('certificate');
});

function write(cert: string, key: string): void {
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
}

function serve(): ServedCertificate {
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const serving = serveCertificate(files, createLog('silent'), LOOK_MILLISECONDS);
  atEnd(() => serving.stop());
  return serving;
}

describe('a pair that no client could trust is refused at the start', () => {
  test.each<[string, () => [cert: string, key: string], RegExp]>([
    ['no certificate', () => ['', issued().key], /^TLS_CERT_FILE \S+cert\.pem contains no certificate/],
    ['a key in the place of the certificate', () => [issued().key, issued().key], /contains no certificate/],
    ['no key', () => [issued().chain, ''], /^TLS_KEY_FILE \S+key\.pem is not the key of the certificate/],
    ['the key of another certificate', () => [issued().chain, issued().key], /is not the key/],
    [
      'the intermediate before its own',
      () => [`${authority.cert}${issued().cert}`, issued().key],
      /not the key/,
    ],
    ['an expired certificate', () => pairOf(expired), /expired on \d{4}-/],
    ['a certificate of tomorrow', () => pairOf(notYetValid), /is not valid before \d{4}-/],
  ])('%s', (_, pair, problem) => {
    write(...pair());
    expect(serve).toThrow(ConfigError);
    expect(serve).toThrow(problem);
  });

  test('a missing file', () => {
    expect(serve).toThrow(/^TLS_CERT_FILE cannot be read: ENOENT/);
  });
});

describe('a pair that replaces another one', () => {
  test('is served, also through symbolic links, as ACME clients make them', async () => {
    const [first, second] = [issued(), issued()];
    write(first.chain, first.key);
    for (const name of ['cert', 'key']) renameSync(join(folder, `${name}.pem`), join(folder, `${name}1.pem`));
    for (const name of ['cert', 'key']) symlinkSync(`${name}1.pem`, join(folder, `${name}.pem`));
    const used: string[] = [];
    const certificate = serve();
    certificate.onChange(({ cert }) => used.push(cert));
    expect(certificate.current().cert).toBe(first.chain);
    writeFileSync(join(folder, 'cert2.pem'), second.chain);
    writeFileSync(join(folder, 'key2.pem'), second.key);
    for (const name of ['cert', 'key']) {
      symlinkSync(`${name}2.pem`, join(folder, `${name}.new`));
      renameSync(join(folder, `${name}.new`), join(folder, `${name}.pem`));
    }
    await until(() => used.length === 1, { intervalMilliseconds: 5 });
    expect([used, certificate.current().key]).toEqual([[second.chain], second.key]);
    expect(certificate.problem()).toBeUndefined();
  });

  test.each<[string, () => void]>([
    ['is expired', () => write(...pairOf(expired))],
    ['has another key', () => write(issued().chain, issued().key)],
    ['is cut', () => write(issued().chain.slice(0, 200), '')],
    ['was deleted', () => rmSync(join(folder, 'key.pem'))],
  ])('is not served if it %s, until it is corrected', async (_, replace) => {
    const [first, second] = [issued(), issued()];
    write(first.chain, first.key);
    const certificate = serve();
    replace();
    await until(() => certificate.problem() !== undefined, { intervalMilliseconds: 5 });
    expect(certificate.current().cert).toBe(first.chain);
    write(second.chain, second.key);
    await until(() => certificate.problem() === undefined, { intervalMilliseconds: 5 });
    expect(certificate.current().cert).toBe(second.chain);
  });

  test('is needed as soon as the one that is served expires', async () => {
    const soon = { validFrom: new Date(Date.now() - 60_000), validTo: new Date(Date.now() + 1_500) };
    write(...pairOf(soon));
    const certificate = serve();
    expect(certificate.problem()).toBeUndefined();
    await until(() => certificate.problem() !== undefined);
    expect(certificate.problem()).toMatch(/^the certificate expired on /);
  });
});

test('a file that was away and comes back unchanged is no problem any more', async () => {
  const { chain, key } = issued();
  write(chain, key);
  const served = serve();
  renameSync(join(folder, 'key.pem'), join(folder, 'away'));
  await until(() => /cannot be read/.test(served.problem() ?? ''), { intervalMilliseconds: 5 });
  renameSync(join(folder, 'away'), join(folder, 'key.pem'));
  await until(() => served.problem() === undefined, { intervalMilliseconds: 5 });
  expect(served.current()).toEqual({ cert: chain, key });
});
