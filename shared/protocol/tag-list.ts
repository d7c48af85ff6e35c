/**
 * The `name=value; name=value` lists of DKIM, DMARC, TLS-RPT, MTA-STS and BIMI records (RFC 6376 section 3.2).
 * Reading is tolerant: what can be read is read, and every departure from the grammar is named.
 */

export interface Tag {
  /** As published: names are case-sensitive. */
  readonly name: string;
  /** Without the folding white space around it; may hold `=` and may be empty. */
  readonly value: string;
}

export interface TagProblem {
  /**
   * `malformed`: nothing between two semicolons, no `=`, a name that is none, or a value with characters outside
   * printable ASCII (whose tag is read all the same). `duplicate`: the name stood before, and the earlier tag holds.
   * `empty-name`: nothing before the `=`.
   */
  readonly kind: 'malformed' | 'duplicate' | 'empty-name';
  /** The tag at fault as published, without the white space around it. */
  readonly text: string;
}

export interface TagList {
  /** In order of appearance; each name once. */
  readonly tags: readonly Tag[];
  readonly problems: readonly TagProblem[];
}

/** Reads a tag list in time linear in its length; white space around names and values and a last `;` are allowed. */
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

/** The tags as one line, which reads back as the same tags. */
export function printTagList(tags: readonly Tag[]): string {
  return tags.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** Without leading and trailing FWS (RFC 5322 section 3.2.2); by hand, since `/\s+$/` takes quadratic time. */
export function trimFoldingWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isFoldingWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isFoldingWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isFoldingWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
