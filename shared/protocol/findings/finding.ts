/**
 * A finding is data: which rule, how grave, about what. Its sentence, citation and fix live in the catalogue, so
 * that wording can change without anything else noticing; what makes two findings the same is `id` and `subject`.
 */

/** `error`: violates a MUST. `warning`: violates a SHOULD, or is known to do harm. `notice`: advice. */
export type Severity = 'error' | 'warning' | 'notice';

/** What a finding is about beyond its id: a selector, an MX host, a tag. Part of its identity. */
export type Arguments = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One rule of the catalogue. */
export interface Rule<A extends Arguments = Arguments> {
  readonly severity: Severity;
  /** The sentence shown to people. */
  readonly says: (args: A) => string;
  /** Document and section, as `RFC 7208 section 4.5`. */
  readonly cites: string;
  /** What the owner of the domain does about it, as an imperative sentence. */
  readonly fix: string;
  /** The argument that tells two findings of one rule apart (a host, a selector, a tag). */
  readonly subject?: keyof A & string;
}

export interface Finding {
  readonly id: string;
  readonly severity: Severity;
  readonly subject?: string;
  readonly arguments: Arguments;
  readonly message: string;
  readonly cites: string;
  readonly fix: string;
}

/** Keeps the argument type of a rule while it stands in a table of rules. */
export function rule<A extends Arguments = Record<string, never>>(entry: Rule<A>): Rule<A> {
  return entry;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds rules of every argument type
export type Rules = Readonly<Record<string, Rule<any>>>;

type ArgumentsOf<R> = R extends Rule<infer A> ? A : never;

/**
 * Makes the function that raises the findings of one table of rules:
 * `const raise = raiser(spfRules); raise('spf-multiple-records', { count: 2 })`.
 */
export function raiser<R extends Rules>(rules: R) {
  return <Id extends keyof R & string>(
    id: Id,
    ...rest: ArgumentsOf<R[Id]> extends Record<string, never> ? [] : [args: ArgumentsOf<R[Id]>]
  ): Finding => {
    const entry = rules[id] as Rule;
    const args = (rest[0] ?? {}) as Arguments;
    const subject = entry.subject === undefined ? undefined : String(args[entry.subject]);
    return {
      id,
      severity: entry.severity,
      ...(subject === undefined ? {} : { subject }),
      arguments: args,
      message: entry.says(args),
      cites: entry.cites,
      fix: entry.fix,
    };
  };
}

/** The sentences of the findings of one severity, as the `errors` and `warnings` of a result. */
export function sentences(findings: readonly Finding[], severity: Severity): string[] {
  return findings.filter((finding) => finding.severity === severity).map((finding) => finding.message);
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
