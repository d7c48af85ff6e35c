import { existsSync, globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import { environmentKeys } from '../../lib/cloud/config.ts';
import { settingsSchema } from '../../lib/cloud/settings.ts';
import { environmentSchema } from '../../shared/runtime/config/config.ts';
import { pathsOf } from '../../shared/runtime/http/route.ts';
import { costOf, costOfDigests } from './cost.ts';
import { API_DOCUMENT, apiDocument, parts, readDocument, withPart } from './documents.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const documents = globSync(['*.md', '{docs,lib,shared}/**/*.md'], { cwd: root });

describe('the generated parts of the documents are up to date', () => {
  test.each(parts.map((part) => [part.file, part.name, part] as const))(
    '%s, %s (updated by npm run docs)',
    (file, _name, part) => {
      const document = readDocument(file);
      expect(document).toBe(withPart(document, part));
    },
  );
});

test(`${API_DOCUMENT} describes the API as it is (updated by npm run docs)`, () => {
  expect(readDocument(API_DOCUMENT)).toBe(apiDocument());
});

test.each([10_000, 1_000_000])(
  'of %i domains, each costs at most $0.116 per month with its digests',
  (domains) => {
    const dollars = costOf(domains).reduce((sum, one) => sum + one.dollars, costOfDigests(domains));
    expect(dollars / domains).toBeLessThanOrEqual(0.116);
  },
);

describe('docs/configuration.md', () => {
  const configuration = readDocument('docs/configuration.md');

  test('names every environment variable', () => {
    const urls =
      /_QUEUE_URL$|^TABLE_NAME$|^MAIL_BUCKET$|^MAIL_TRANSPORT$|^SECRETS_KEY$|^SIGNING_KEY$|^ORIGIN_SECRET$|^SECOND_MAIL_/;
    const keys = Object.keys(environmentSchema.shape).filter((key) => !urls.test(key));
    expect(keys.filter((key) => !configuration.includes(`| \`${key}\` |`))).toEqual([]);
  });

  test('names every setting of a deployment', () => {
    const keys = [...Object.keys(settingsSchema.shape), ...Object.keys(environmentKeys)];
    expect(keys.filter((key) => !configuration.includes(`| \`${key}\` |`))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = readDocument('README.md');

  test('has at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(150);
  });

  test('has one command to set the service up, and one to test it', () => {
    expect(readme).toContain('npm ci && npm start\n');
    expect(readme).toContain('npm ci && npm test\n');
  });
});

test('the documents name no endpoint that does not exist', () => {
  const known = Object.values(routes)
    .flatMap(pathsOf)
    .map((path) => path.replace('/api/v1', ''));
  const named = documents.flatMap((file) => [
    ...readDocument(file).matchAll(/`(?:GET|POST|PATCH|DELETE) (?:\/api\/v1)?(\/\S*)`/g),
  ]);
  expect(named.map(([, path]) => path).filter((path) => !known.includes(path ?? ''))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

/** The anchor that Markdown viewers give to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const anchorsOf = (file: string): string[] =>
  [...readDocument(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

test.each(documents)('%s links to files and headings that exist', (file) => {
  const links = [...readDocument(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (link.startsWith('https://')) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : relative(root, join(root, dirname(file), path));
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});
