/** Bugs that the simulation has to find: each is a change of the text of the product. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const plantedBugs: readonly Bug[] = [];
