/**
 * A finding is data: the rule, its severity and its arguments. Message, citation and fix come from the catalogue, so
 * their wording can change freely. Two findings are the same if they have the same `id` and `subject`.
 */

/** `error`: violates a MUST. `warning`: violates a SHOULD, or is known to cause harm. `notice`: advice. */
export type Severity = 'error' | 'warning' | 'notice';

type Argument = string | number | boolean | readonly string[];

/** What a finding is about, beyond its id: a selector, an MX host, a tag. */
export type Arguments = Readonly<Record<string, Argument>>;

/** Requires a name for each argument: with an index signature, a call that lacks an argument would compile. */
type NamedArguments<A> = { readonly [Name in keyof A]: string extends Name ? never : Argument };

/** A rule of the catalogue. */
export interface Rule<A = Arguments> {
  readonly severity: Severity;
  /** The message shown to people. */
  readonly says: (args: A) => string;
  /** Document and section, such as `RFC 7208 section 4.5`. */
  readonly cites: string;
  /** What the owner of the domain can do about it, in the imperative. */
  readonly fix: string;
  /** The argument that distinguishes two findings of the same rule (a host, a selector, a tag). */
  readonly subject?: keyof A & string;
  /**
   * The rule reports a failed lookup, fetch or connection, not a property of the domain. `check`: the state of the check
   * is then `unknown`. `part`: the rest of the check still determines the state.
   */
  readonly failedLookup?: 'check' | 'part';
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

/** The fix for a failed lookup of a record of the domain. */
export const retryLookup = "Try again. If it keeps failing, check the domain's authoritative name servers.";

/**
 * Keeps the argument type of a rule inside a table of rules. Without a type argument, the rule has no arguments:
 * `NoInfer` prevents that the compiler infers `any` from the type of the table.
 */
export function rule<A extends NamedArguments<A> = Record<string, never>>(
  entry: Rule<NoInfer<A>>,
): Rule<NoInfer<A>> {
  return entry;
}

// biome-ignore lint/suspicious/noExplicitAny: a table contains rules with different argument types
export type Rules = Readonly<Record<string, Rule<any>>>;

/** The arguments of a rule. For a union of rules, those of all of them. */
type ArgumentsOf<R extends Rules[string]> = R['says'] extends (args: infer A) => string ? A : never;

/** Rejects arguments that the rule does not have, also where a spread hides them from the compiler. */
type Exactly<Given, A> = Given & { readonly [Name in Exclude<keyof Given, keyof A>]: never };

/**
 * Creates the function that raises the findings of one table of rules:
 * `const raise = raiser(spfRules); raise('spf-multiple-records', { count: 2 })`.
 */
export function raiser<R extends Rules>(rules: R) {
  return <Id extends keyof R & string, Given extends ArgumentsOf<R[Id]>>(
    id: Id,
    ...rest: ArgumentsOf<R[Id]> extends Record<string, never>
      ? []
      : [args: Exactly<Given, ArgumentsOf<R[Id]>>]
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

/** The messages of the findings of one severity, for the `errors` and `warnings` of a result. */
export function sentences(findings: readonly Finding[], severity: Severity): string[] {
  return findings.filter((finding) => finding.severity === severity).map((finding) => finding.message);
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
