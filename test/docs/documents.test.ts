import { describe, expect, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import { environmentKeys, settingsSchema } from '../../lib/cloud/config.ts';
import { environmentSchema } from '../../shared/runtime/config.ts';
import { parts, readDocument, withPart } from './documents.ts';

describe('what documents say of the code is what the code says', () => {
  test.each(parts.map((part) => [part.file, part.name, part] as const))(
    '%s, %s (written anew by npm run docs)',
    (file, _name, part) => {
      const document = readDocument(file);
      expect(document).toBe(withPart(document, part));
    },
  );

  test('the README names every key of the environment', () => {
    const readme = readDocument('README.md');
    const urls = /_QUEUE_URL$|^TABLE_NAME$|^MAIL_BUCKET$/;
    const keys = Object.keys(environmentSchema.shape).filter((key) => !urls.test(key));
    expect(keys.filter((key) => !readme.includes(`\`${key}\``))).toEqual([]);
  });

  test('the README names every setting of a deployment', () => {
    const readme = readDocument('README.md');
    const keys = [...Object.keys(settingsSchema.shape), ...Object.keys(environmentKeys)];
    expect(keys.filter((key) => !readme.includes(`\`${key}\``))).toEqual([]);
  });

  test('the README names no endpoint that is not there', () => {
    const known = Object.values(routes).map(({ path }) => path.replace('/api/v1', ''));
    const named = [
      ...readDocument('README.md').matchAll(/`(?:GET|POST|PATCH|DELETE) (?:\/api\/v1)?(\/\S*)`/g),
    ];
    expect(named.map(([, path]) => path).filter((path) => !known.includes(path ?? ''))).toEqual([]);
  });
});
