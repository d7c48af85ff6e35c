/** What operations on sessions need. */
import type { EndSessionsDependencies } from '../../operations/sessions/end-sessions.ts';
import type { SignInDependencies } from '../../operations/sessions/sign-in.ts';
import { sessionStore } from '../../store/sessions.ts';
import { clock, itemStore, table } from './services.ts';

export const signInDependencies = (): SignInDependencies => ({
  tokens: itemStore(),
  sessions: sessionStore(table()),
  clock,
});

export const endSessionsDependencies = (): EndSessionsDependencies => ({ sessions: sessionStore(table()) });
