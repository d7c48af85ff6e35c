/**
 * What DNSSEC validation may cost in one check run. The domain decides how many zones, keys and signatures its chain of
 * trust has, and anybody can have a domain checked (KeyTrap, CVE-2023-50387; NSEC3, CVE-2023-50868).
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';

interface EffortLimits {
  /** Public key operations. */
  readonly verifications: number;
  /** Names hashed for NSEC3 (RFC 5155 section 5). */
  readonly hashes: number;
}

/** An ordinary zone needs about 30 verifications and 20 hashes. */
const EFFORT_LIMITS: EffortLimits = { verifications: 200, hashes: 500 };

/**
 * How long validation keeps the processor before others get their turn, in milliseconds, and how many operations of a check run
 * go on in one turn: those that waited for it together all start before the first one takes its time.
 */
const TURN_MILLISECONDS = 20;
const TURN_OPERATIONS = 10;

export interface Effort {
  /** Waits for its turn if necessary. False once the check run has used what it may: then nothing is concluded. */
  may(work: keyof EffortLimits): Promise<boolean>;
}

/** The effort of one check run. */
export function createEffort(limits: EffortLimits = EFFORT_LIMITS): Effort {
  const left = { ...limits };
  let turn = { ends: 0, operations: 0 };
  let next: Promise<void> | undefined;

  async function takeTurn(): Promise<void> {
    await yieldToOthers();
    turn = { ends: performance.now() + TURN_MILLISECONDS, operations: TURN_OPERATIONS };
    next = undefined;
  }

  return {
    async may(work) {
      left[work] -= 1;
      if (left[work] < 0) return false;
      while (turn.operations === 0 || performance.now() >= turn.ends) {
        next ??= takeTurn();
        await next;
      }
      turn.operations -= 1;
      return true;
    },
  };
}
