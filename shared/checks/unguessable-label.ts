import { randomBytes } from 'node:crypto';
import type { Dns } from '../protocol/dns.ts';

/** A label that no zone has, unless by a wildcard. */
export const unguessableLabel = ({ label }: Dns): string => label?.() ?? randomBytes(12).toString('hex');
