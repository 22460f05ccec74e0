// What every component is written with, in one import.
import { h, type ComponentChildren, type VNode } from 'preact'
import htm from 'htm'

export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode<any>

export { Component, Fragment, render, createContext } from 'preact'
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext, useId } from 'preact/hooks'
export { signal, computed, effect, batch, useSignal, useComputed, type Signal, type ReadonlySignal } from '@preact/signals'
export type { ComponentChildren, VNode }

/** Class names, without those that are false. */
export function classes (...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
