/**
 * Collects what a scenario finds, so that each of its checks is emitted exactly
 * once: as passed, as violated, or as not testable (issue #248).
 */

import type { CheckStatus, ConformanceCheck, SpecReference } from '../types';
import { untestableCheck } from './untestable';

export interface Requirement {
  /**
   * The keyword of the document. MAY is for recommendations that no document
   * requires: they are reported as INFO and never fail a run.
   */
  level: 'MUST' | 'SHOULD' | 'MAY';
  description: string;
  /** What has to be there for the requirement to be testable. */
  needs: string;
}

/** The requirements of a scenario. The keys are the ids of its checks. */
export type Requirements<Id extends string> = Record<Id, Requirement>;

const requirement =
  <Level extends Requirement['level']>(level: Level) =>
  (description: string, needs = 'listed resource') => ({
    level,
    description,
    needs
  });

export const must = requirement('MUST');
export const should = requirement('SHOULD');
export const may = requirement('MAY');

const VIOLATED = { MUST: 'FAILURE', SHOULD: 'WARNING', MAY: 'INFO' } as const;

export class Findings<Id extends string> {
  private readonly errors = new Map<Id, string[]>();
  private readonly skipped = new Map<Id, string>();

  constructor(
    private readonly requirements: Requirements<Id>,
    private readonly specReferences: SpecReference[]
  ) {}

  /** Records that a requirement was tested, and with which result. */
  expect(id: Id, isMet: boolean, error: string): void {
    const errors = this.errors.get(id) ?? [];
    this.errors.set(id, isMet ? errors : [...errors, error]);
  }

  met(id: Id): void {
    this.expect(id, true, '');
  }

  violated(id: Id, error: string): void {
    this.expect(id, false, error);
  }

  /** Records that a requirement does not apply, such as an optional feature. */
  notApplicable(id: Id, reason: string): void {
    this.skipped.set(id, reason);
  }

  /** Returns all checks. `aborted` is the reason why the scenario ended early. */
  checks(aborted?: unknown): ConformanceCheck[] {
    return (Object.keys(this.requirements) as Id[]).map((id) =>
      this.check(id, aborted)
    );
  }

  private check(id: Id, aborted: unknown): ConformanceCheck {
    const { level, description, needs } = this.requirements[id];
    const name = id.replace(/(^|-)(\w)/g, (_, _dash, first: string) =>
      first.toUpperCase()
    );
    const errors = this.errors.get(id);
    const emit = (status: CheckStatus, errorMessage?: string) => ({
      id,
      name,
      description: `${description} (${level})`,
      status,
      timestamp: new Date().toISOString(),
      errorMessage,
      specReferences: this.specReferences
    });
    if (errors !== undefined && errors.length > 0) {
      return emit(VIOLATED[level], errors.join('; '));
    }
    if (aborted !== undefined) {
      const reason = `the scenario ended early: ${message(aborted)}`;
      return this.untestable(id, name, reason);
    }
    if (errors !== undefined) return emit('SUCCESS');
    const skipped = this.skipped.get(id);
    if (skipped !== undefined) return emit('SKIPPED', skipped);
    if (level === 'MAY') return emit('SKIPPED', `there is no ${needs}`);
    return this.untestable(id, name, `there is no ${needs}`);
  }

  private untestable(id: Id, name: string, reason: string): ConformanceCheck {
    const { level, description } = this.requirements[id];
    const severity = level === 'MUST' ? 'FAILURE' : 'WARNING';
    return untestableCheck(
      id,
      name,
      `${description} (${level})`,
      reason,
      this.specReferences,
      severity
    );
  }
}

/** Returns the text of an error, with its cause, which `fetch` hides. */
export function message(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: unknown };
  return error.message + (cause instanceof Error ? `: ${cause.message}` : '');
}
