import { emptyTable } from './table.ts';
import { use } from './use.ts';

export const useTable = (...of: Parameters<typeof emptyTable>) => use(emptyTable(...of));
