import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { errorTable } from '../../shared/api/error-table.ts';

const folder = new URL('../../functions/', import.meta.url);
const declared = [...Object.values(routes), ...Object.values(triggers)].map((row) => row.handler);

describe('the tables of routes and triggers', () => {
  test.each([...declared, fallbackHandler])('name %s, which exists and exports a handler', async (file) => {
    const module = await import(new URL(`${file}.ts`, folder).href);
    expect(typeof module.handler).toBe('function');
  });

  test('name every handler file', () => {
    const withHandler = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(
        (name) =>
          name.includes('/') && !/\/(?:presentation|check-reply|routes|(?:[a-z-]+-)?rules)\.ts$/.test(name),
      )
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -'.ts'.length));
    expect(withHandler.sort()).toEqual([...declared, fallbackHandler].sort());
  });

  test.each(Object.entries(routes))(
    '%s has its key as its name, and its handler wraps its own row',
    async (key, route) => {
      expect(route.name).toBe(key);
      const { handler } = await import(new URL(`${route.handler}.ts`, folder).href);
      expect(handler.route).toBe(route);
    },
  );

  test.each(Object.entries(triggers))(
    '%s has its key as its name, and its handler wraps its own row',
    async (key, trigger) => {
      expect(trigger.name).toBe(key);
      const { handler } = await import(new URL(`${trigger.handler}.ts`, folder).href);
      expect(handler.trigger).toBe(trigger);
    },
  );

  test('require a token for everything under /api/v1, and limit it per organization', () => {
    for (const route of Object.values(routes).filter(({ path }) => path.startsWith('/api/v1/'))) {
      expect([route.name, route.access, route.rate]).toEqual([route.name, 'token', 'organization']);
    }
  });

  test('name only errors in the error table', () => {
    for (const { errors } of Object.values(routes)) {
      expect(Object.keys(errorTable)).toEqual(expect.arrayContaining([...errors]));
    }
  });
});
