import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { inspectEvidence } from '../../../../shared/protocol/bimi/mark-certificate.ts';
import { ConfigError, environmentSchema, readEnvironment } from '../../../../shared/runtime/config/config.ts';
import { createCheckContext } from '../../../../shared/runtime/dependencies/check-context.ts';
import { markChain } from '../../../kit/mark-certificates.ts';
import { useFolder } from '../../../kit/use.ts';

const folder = useFolder('checkContext');

const checkContextOf = (environment: Record<string, string>) =>
  createCheckContext(readEnvironment(environmentSchema, environment));

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Certificates that were issued to real companies, from the package that contains the roots. */
function genuine(name: string): { file: Buffer; domain: string; now: Date } {
  const path = `../../../../node_modules/@postalsys/vmc/test/fixtures/${name}.pem`;
  const file = readFileSync(new URL(path, import.meta.url));
  const { subjectAltName = '', validFromDate } = new X509Certificate(file);
  const now = new Date(validFromDate.getTime() + 30 * 86_400_000);
  return { file, domain: subjectAltName.replace('DNS:', ''), now };
}

describe('the trusted roots of mark certificates', () => {
  test.each(['cnn', 'globalsign-vmc', 'paypal_vmc', 'redshift', 'xometry_cmc'])(
    'verify the genuine certificate %s by default',
    (name) => {
      const { file, domain, now } = genuine(name);
      const anchors = checkContextOf({}).markAnchors ?? [];
      const expected = { selector: 'default', domains: [domain], logo: null, anchors, now };
      expect(inspectEvidence(file, expected).trust).toBe('verified');
    },
  );

  test.each(['cnn', 'globalsign-vmc', 'paypal_vmc', 'redshift', 'xometry_cmc'])(
    'do not verify %s after a bit of its signature is changed',
    (name) => {
      const { file, domain, now } = genuine(name);
      const leaf = Buffer.from(new X509Certificate(file).raw);
      leaf.writeUInt8(leaf.readUInt8(leaf.length - 1) ^ 1, leaf.length - 1);
      const pem = `-----BEGIN CERTIFICATE-----\n${leaf.toString('base64')}\n-----END CERTIFICATE-----\n`;
      const others = file
        .toString()
        .split('-----END CERTIFICATE-----')
        .slice(1)
        .join('-----END CERTIFICATE-----');
      const anchors = checkContextOf({}).markAnchors ?? [];
      const expected = { selector: 'default', domains: [domain], logo: null, anchors, now };
      expect(inspectEvidence(Buffer.from(pem + others), expected).trust).toBe('invalid');
    },
  );

  test('come only from BIMI_TRUST_ANCHORS_FILE if it is set', () => {
    const { root } = markChain();
    const file = fileOf('roots.pem', root);
    expect(checkContextOf({ BIMI_TRUST_ANCHORS_FILE: file }).markAnchors).toEqual([root]);
  });

  test('cannot be read from a missing file or a file with other content', () => {
    const read = (file: string) => () => checkContextOf({ BIMI_TRUST_ANCHORS_FILE: file });
    expect(read(join(folder, 'nothing.pem'))).toThrow(ConfigError);
    expect(read(join(folder, 'nothing.pem'))).toThrow(/^BIMI_TRUST_ANCHORS_FILE cannot be read: /);
    const empty = fileOf('empty.pem', 'nothing');
    expect(read(empty)).toThrow(new ConfigError('BIMI_TRUST_ANCHORS_FILE contains no PEM certificate'));
  });
});
