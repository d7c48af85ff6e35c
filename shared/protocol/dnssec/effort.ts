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

/** The time for which validation keeps the processor before others get their turn, in milliseconds. */
const TURN_MILLISECONDS = 20;

export interface Effort {
  /** Waits for its turn if necessary. False once the check run has used what it may: then nothing is concluded. */
  may(work: keyof EffortLimits): Promise<boolean>;
}

/** The effort of one check run. */
export function createEffort(limits: EffortLimits = EFFORT_LIMITS): Effort {
  const left = { ...limits };
  let turnEnds = 0;

  return {
    async may(work) {
      left[work] -= 1;
      if (left[work] < 0) return false;
      if (performance.now() >= turnEnds) {
        await yieldToOthers();
        turnEnds = performance.now() + TURN_MILLISECONDS;
      }
      return true;
    },
  };
}
