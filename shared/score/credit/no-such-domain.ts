/** The credit of a domain that does not exist. */
import type { mxRules } from '../../protocol/findings/mx.ts';
import type { Component } from '../weights.ts';
import type { CreditRow } from './row.ts';

/** Comes before the rows of a component and explains whatever is missing. What is inherited is not missing. */
export function noSuchDomain(component: Component): CreditRow {
  return {
    id: 'no-such-domain',
    when: ({ mx, ...others }) => {
      const told: keyof typeof mxRules = 'mx-no-such-domain';
      if (!mx.findings.some(({ id }) => id === told)) return false;
      if (component === 'mx' || component === 'dane') return true;
      const { state } = others[component];
      return state === 'absent' || state === 'not-applicable';
    },
    fraction: 0,
    reason: 'The domain does not exist.',
    todo: 'Check the spelling of the domain. If it is correct, register the domain or renew its registration.',
  };
}
