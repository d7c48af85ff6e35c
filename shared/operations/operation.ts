/**
 * What describes an operation to all its callers: endpoints of the API, forms of the console, commands of the operator. The
 * file of an operation exports its row, and the function that performs it for a caller. Routes get the scope, the errors,
 * the name in the audit log and the permissions from the row.
 */
import type * as z from 'zod/mini';
import type { Scope } from '../protocol/scope.ts';
import type { TokenInfo } from '../store/api-tokens.ts';
import type { Capability } from './capability.ts';
import type { Outcome, RefusalCode } from './outcome.ts';

export interface Operation {
  /** In the audit log; most endpoints have it as their operationId. */
  readonly name: string;
  readonly summary: string;
  /** What callers need to know beyond the summary; sentences in Markdown. */
  readonly description?: string;
  /** The scope that a token needs at least; `operator`: only the operator of the service may. */
  readonly scope: Scope | 'operator';
  /** The IDs of what it is about. */
  readonly on?: z.ZodMiniType;
  readonly input?: z.ZodMiniType;
  readonly refusals: readonly RefusalCode[];
  /** What it needs access to, besides tokens and the rate limit of the caller. */
  readonly uses: readonly Capability[];
}

/** An operation that organizations perform, too. */
export type OpenOperation<S extends Scope = Scope> = Operation & { readonly scope: S };

/** What an operation gets: the IDs of what it is about, and its input. */
export type InputOf<O extends Operation> = Given<O['on']> & Given<O['input']>;

/** What an operation answers: it refuses only what its row lists. */
export type OutcomeOf<O extends Operation, Value> = Outcome<Value, O['refusals'][number]>;

type Given<S> = S extends z.ZodMiniType ? z.output<S> : unknown;

/** A queue, as what sends its messages sees it. */
export interface MessageSender<Message extends object> {
  readonly send: (message: Message) => Promise<void>;
}

/** Who asks. */
export interface Caller<May extends Operation['scope'] = Operation['scope']> {
  readonly organization: string;
  /** The token of the request or session; null for the operator of the service. */
  readonly token: TokenInfo | null;
  /** A scope that was verified: the caller may do what needs it, or less. */
  readonly may: May;
  /** Whether the caller knows this version of what it changes, or changes any version. */
  readonly isCurrent: (version: string) => boolean;
}

/** Who may ask for an operation: callers of whom its scope, or one that includes it, was verified. */
export type CallerOf<O extends Operation> = Caller<Including[O['scope']]>;

/** The scopes that include a scope. */
interface Including extends Record<Operation['scope'], Operation['scope']> {
  readonly read: Including['write'] | 'read';
  readonly write: Including['admin'] | 'write';
  readonly admin: Including['operator'] | 'admin';
  readonly operator: 'operator';
}

/** What the operator does for an organization. */
export const operatorFor = (organization: string): Caller<'operator'> => ({
  organization,
  token: null,
  may: 'operator',
  isCurrent: () => true,
});

/** Who did something, in what is stored: the id of the token; null for the operator. */
export const idOf = ({ token }: Pick<Caller, 'token'>): string | null => token?.id ?? null;
