import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { triggers } from '../../functions/triggers.ts';
import { stackParts } from '../../lib/cloud/stack-names.ts';
import { queues } from '../../shared/runtime/workers/trigger.ts';
import { entities } from '../../shared/store/entities.ts';
import { codeBlocks, readDocument } from './documents.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const architecture = readDocument('docs/architecture.md');

/** The Mermaid diagrams under a heading. */
const diagramsOf = (heading: string): string => {
  const section = architecture.split(/^#+ /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  return codeBlocks(section, 'mermaid').join('\n');
};

const sourcesOf = (folder: string): string =>
  globSync(`${folder}/**/*.ts`, { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');

const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, one = '']) => one)),
];

describe('the diagram of the deployment', () => {
  const diagram = diagramsOf('On AWS');

  test('shows every stack', () => {
    expect(found(diagram, /\["stack ([\w-]+)/g).toSorted()).toEqual(stackParts.toSorted());
  });

  test('shows every queue', () => {
    for (const queue of Object.keys(queues)) expect(diagram).toMatch(new RegExp(`\\b${queue}\\b`));
  });
});

describe('the diagram of one machine', () => {
  const diagram = diagramsOf('On one machine');

  test('shows every queue', () => {
    for (const queue of Object.keys(queues)) expect(diagram).toMatch(new RegExp(`\\b${queue}\\b`));
  });

  test('shows every file that the local host stores data in', () => {
    const files = found(sourcesOf('lib/local'), /'([\w-]+\.sqlite)'/g);
    expect(found(diagram, /([\w-]+\.sqlite)/g).toSorted()).toEqual(files.toSorted());
  });
});

test('the diagram from a report mail to an alert names background jobs that exist', () => {
  const named = found(diagramsOf('From a report mail to an alert'), / as ([a-z]+[A-Z]\w+)$/gm);
  expect(Object.keys(triggers)).toEqual(expect.arrayContaining(named));
  expect(named).toHaveLength(3);
});

test('the diagram of the table has only keys of items', () => {
  /** The fixed words of keys. */
  const words = found(
    JSON.stringify(entities.map(({ keys, index }) => [...keys, ...(index?.at ?? [])])),
    /([A-Z]{2,})/g,
  );
  const drawn = found(diagramsOf('The table'), /([A-Z]{3,})/g);
  expect(drawn.filter((word) => !words.includes(word))).toEqual([]);
  expect(drawn.length).toBeGreaterThan(20);
});
