import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { referencePage } from '../../../shared/pages/reference/page.ts';

const document = openApiDocument(Object.values(routes), {
  hostUrl: 'https://monitor.example.net',
  version: '1.0.0',
});
const page = referencePage(document);
const all = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, found = '']) => found);

describe('the API reference', () => {
  test('has a section for every operation and every schema, each once', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const sections = all(/<section class="operation" id="([^"]+)">/g);
    const names = operations.map(({ operationId }) => operationId);
    const expected = [...names, 'alertsWebhook', ...Object.keys(document.components.schemas)];
    expect(sections.toSorted()).toEqual(expected.toSorted());
  });

  test('links only to sections that it has', () => {
    const ids = new Set(all(/ id="([^"]+)"/g));
    const links = all(/ href="#([^"]+)"/g);
    expect(links.length).toBeGreaterThan(200);
    expect(links.filter((link) => !ids.has(link))).toEqual([]);
  });

  test('shows names, types, limits and descriptions', () => {
    const section = page.split('id="listDmarcReports"')[1]?.split('</section>')[0] ?? '';
    expect(section).toContain('<code>limit</code> <span class="soft">integer, optional</span>');
    expect(section).toContain('default: <code>20</code>; at least 1; at most 100');
    expect(section).toContain('<code>startDate</code> <span class="soft">string, optional</span>');
    expect(section).toContain('<a href="#DmarcReport">DmarcReport</a>');
    expect(section).toContain('<code>rate_limited</code>: Too many requests.');
    expect(page).toContain('<code>&quot;sends-and-receives&quot;</code>');
  });

  test('escapes what the document contains', () => {
    const hostile = { ...document, info: { ...document.info, description: '<script>alert(1)</script>' } };
    expect(referencePage(hostile)).not.toContain('<script>alert(1)');
  });
});
