/** The source files of the product, and their syntax trees. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** All source files of the product, relative to the project. */
export const productFiles: readonly string[] = ['shared', 'functions', 'lib', 'bin'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

export const productText = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A node of a syntax tree, with what is read of it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number } };
  readonly name?: string;
  readonly kind?: string;
  readonly operator?: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly computed?: boolean;
  readonly test?: Node;
  readonly consequent?: Node;
  readonly callee?: Node;
  readonly tag?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly expression?: Node;
  readonly left?: Node;
  readonly right?: Node;
  readonly id?: Node | null;
  readonly init?: Node | null;
  readonly argument?: Node | null;
  readonly key?: Node;
  readonly value?: unknown;
  readonly params?: readonly Node[];
  readonly arguments?: readonly Node[];
  readonly elements?: readonly (Node | null)[];
  readonly expressions?: readonly Node[];
}

export const programOf = (text: string): Node =>
  parse(text, { sourceType: 'module', plugins: ['typescript'] }).program as unknown as Node;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'loc' in value;

export function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield child;
}

export function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesIn(child);
}
