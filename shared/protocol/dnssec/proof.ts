/** What NSEC and NSEC3 records prove. */
import type { Labels } from './names.ts';
import { isDelegation, lacksType, type TypesAtName } from './type-bitmap.ts';

/** What an answer says, so that it has to be proven. */
export interface Question {
  readonly name: Labels;
  readonly type: string;
  readonly absence: 'no-data' | 'no-name';
}

/** What validated records prove about a name and a type. */
export type Proof =
  | {
      readonly status: 'proven';
      readonly absence: Question['absence'];
      /** The name is a delegation, so that the records at and below it are in another zone. */
      readonly isDelegation: boolean;
    }
  /** Nothing signed exists, but an unsigned delegation may (opt-out, RFC 5155 section 6). */
  | { readonly status: 'opt-out' }
  /** The proof costs more than validators accept (RFC 9276 section 3.2). */
  | { readonly status: 'iterations'; readonly iterations: number }
  | { readonly status: 'budget-spent' }
  | { readonly status: 'unproven' };

export const unproven = { status: 'unproven' } as const;

export const noName = { status: 'proven', absence: 'no-name', isDelegation: false } as const;

/** What the types at `name` prove about one of them. */
export function noData(types: TypesAtName, type: string, name: Labels) {
  if (!lacksType(types, type, name.length === 0)) return unproven;
  return { status: 'proven', absence: 'no-data', isDelegation: isDelegation(types) } as const;
}
