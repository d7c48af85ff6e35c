/** Requests for a check of any domain, apart from its response, which the home page does not need. */
import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { jsonObject } from './json-object.ts';
import { checkedName, save } from './spf-check-requests.ts';

const domain = checkedName('The domain to check', 'A-Za-z0-9');

export const domainCheckBody = jsonObject({
  domain,
  usageType: z._default(usageType, 'sends-and-receives'),
  save,
});

export type DomainCheckBody = z.output<typeof domainCheckBody>;

/** The query of the home page; without a domain, it shows the empty form. Links to the SPF checker have no usage type. */
export const homeQuery = z.object({ domain: z.optional(domain), usageType: z.optional(usageType) });

/** The query of the page with the result, and the form that saves it. */
export const domainCheckForm = z.object({
  domain,
  usageType: z._default(usageType, 'sends-and-receives'),
});
