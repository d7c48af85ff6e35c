/**
 * The tag lists (`name=value; name=value`) of DKIM, DMARC and BIMI records (RFC 6376 section 3.2). Parsing is tolerant:
 * it reads what it can and reports every deviation from the grammar.
 */
import { trimMatching } from './trim.ts';

export interface Tag {
  /** As published: names are case-sensitive. */
  readonly name: string;
  /** Without the folding whitespace around it. May contain `=` and may be empty. */
  readonly value: string;
}

interface TagProblem {
  /**
   * `malformed`: nothing between two semicolons, no `=`, an invalid name, or a value with characters outside printable
   * ASCII (the tag is still read). `duplicate`: the name occurred before, and the earlier tag counts. `empty-name`:
   * nothing before the `=`.
   */
  readonly kind: 'malformed' | 'duplicate' | 'empty-name';
  /** The affected tag as published, without the whitespace around it. */
  readonly text: string;
}

interface TagList {
  /** In order of appearance; each name once. */
  readonly tags: readonly Tag[];
  readonly problems: readonly TagProblem[];
}

/** Parses a tag list in linear time. Whitespace around names and values and a final `;` are allowed. */
export function parseTagList(text: string): TagList {
  const tags: Tag[] = [];
  const problems: TagProblem[] = [];
  const names = new Set<string>();
  const specs = text.split(';').map(trimFoldingWhiteSpace);
  if (specs.at(-1) === '') specs.pop();
  for (const spec of specs) {
    const equals = spec.indexOf('=');
    const name = trimFoldingWhiteSpace(spec.slice(0, Math.max(equals, 0)));
    if (equals === 0) problems.push({ kind: 'empty-name', text: spec });
    else if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) problems.push({ kind: 'malformed', text: spec });
    else if (names.has(name)) problems.push({ kind: 'duplicate', text: spec });
    else {
      const value = trimFoldingWhiteSpace(spec.slice(equals + 1));
      names.add(name);
      tags.push({ name, value });
      if (/[^\t\n\r\x20-\x7e]/.test(value)) problems.push({ kind: 'malformed', text: spec });
    }
  }
  return { tags, problems };
}

/** Removes leading and trailing FWS (RFC 5322 section 3.2.2). */
export const trimFoldingWhiteSpace = (text: string): string => trimMatching(text, /[ \t\r\n]/);
