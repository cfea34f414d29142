/** What a demo package is described with. A description is data; `eml/` writes it as EML, `build-corpus.ts` adds sizes, checksums and ids. */

/** Paragraphs; a titled group of paragraphs becomes a section. */
export type Prose = readonly (
  | string
  | { readonly title: string; readonly paras: readonly string[] }
)[];

export interface Party {
  readonly id?: string;
  /** Id of another party of the document that stands here. */
  readonly references?: string;
  readonly givenNames?: readonly string[];
  readonly surName?: string;
  readonly organization?: string;
  readonly position?: string;
  readonly email?: string;
  readonly url?: string;
  readonly userId?: { readonly directory: string; readonly value: string };
  readonly role?: string;
}

/** Bounding box [decimal degrees] as text, because trailing zeros are part of the document. */
export interface Box {
  readonly description: string;
  readonly west: string;
  readonly east: string;
  readonly north: string;
  readonly south: string;
  readonly altitude?: { readonly min: string; readonly max: string; readonly unit: string };
}

export type Period =
  | { readonly begin: string; readonly end: string }
  | { readonly date: string }
  | { readonly timescale: string; readonly age: string };

export interface Taxon {
  readonly rank: string;
  readonly value: string;
  readonly common?: string;
  readonly taxonId?: { readonly provider: string; readonly value: string };
  readonly children?: readonly Taxon[];
}

export interface Coverage {
  readonly id?: string;
  readonly references?: string;
  readonly boxes?: readonly Box[];
  readonly periods?: readonly Period[];
  readonly taxa?: readonly Taxon[];
}

export type Scale =
  | { readonly kind: "dateTime"; readonly format: string; readonly precision?: string }
  | {
      readonly kind: "nominal" | "ordinal";
      /** Code → definition; without it `text` describes free text. */
      readonly codes?: Readonly<Record<string, string>>;
      readonly enforced?: "yes" | "no";
      readonly text?: string;
    }
  | {
      readonly kind: "interval" | "ratio";
      readonly unit: string;
      readonly custom?: boolean;
      readonly precision?: string;
      readonly number: "natural" | "whole" | "integer" | "real";
      readonly min?: string;
      readonly max?: string;
    };

export interface Attribute {
  readonly id?: string;
  readonly name: string;
  readonly label?: string;
  readonly definition: string;
  readonly storage?: string;
  readonly storageSystem?: string;
  readonly scale: Scale;
  /** Missing-value code → explanation. */
  readonly missing?: Readonly<Record<string, string>>;
}

/** How a text file is laid out, spelled as in EML (delimiters may be `\n`, `#x09`, …). */
export interface TextLayout {
  readonly headerLines?: number;
  readonly footerLines?: number;
  readonly recordDelimiter?: string;
  readonly orientation?: "column" | "row";
  readonly fieldDelimiter?: string;
  readonly collapseDelimiters?: "yes" | "no";
  readonly quote?: string;
  /** Field widths [characters] of a fixed-width file; such a file has no delimiter. */
  readonly widths?: readonly number[];
}

/** A file's content: in memory, or on disk with its facts known. */
export type Content =
  | { readonly bytes: Buffer }
  | {
      readonly path: string;
      readonly sizeBytes: number;
      readonly sha1: string;
      readonly md5: string;
    };

type EntityKind =
  | "dataTable"
  | "spatialRaster"
  | "spatialVector"
  | "storedProcedure"
  | "view"
  | "otherEntity";

export interface EntityDescription {
  readonly kind: EntityKind;
  readonly name: string;
  readonly description?: string;
  readonly fileName: string;
  /** Registered media type: the `Content-Type` of the bytes. */
  readonly mediaType: string;
  readonly encoding?: string;
  readonly layout?: TextLayout;
  /** Format of a file that is not text, in words. */
  readonly format?: { readonly name: string; readonly version?: string };
  readonly coverage?: Coverage;
  readonly attributesId?: string;
  /** Column descriptions; a text is the id of an attribute of another entity. */
  readonly attributes?: readonly (Attribute | string)[];
  readonly caseSensitive?: "yes" | "no";
  readonly records?: number;
  readonly entityType?: string;
  readonly query?: string;
  /** Only its owner may read the bytes. */
  readonly restricted?: boolean;
  readonly content: Content;
}

export interface MethodStep {
  readonly description: Prose;
  readonly instruments?: readonly string[];
  readonly source?: {
    readonly packageId: string;
    readonly title: string;
    readonly organization: string;
  };
}

interface Award {
  readonly funder: string;
  readonly funderId?: string;
  readonly number: string;
  readonly title: string;
  readonly url?: string;
}

export interface CustomUnit {
  readonly id: string;
  readonly unitType: string;
  readonly parentSI: string;
  readonly multiplierToSI: string;
  readonly description: string;
}

export interface Dataset {
  readonly shortName?: string;
  readonly title: string;
  readonly creators: readonly Party[];
  readonly associated?: readonly Party[];
  readonly contacts: readonly Party[];
  /** Upload day, `YYYY-MM-DD`; absent in the oldest packages. */
  readonly pubDate?: string;
  readonly language?: string;
  readonly abstract?: Prose;
  readonly keywords?: readonly {
    readonly words: readonly string[];
    readonly type?: string;
    readonly thesaurus?: string;
  }[];
  readonly additionalInfo?: Prose;
  readonly rights?: Prose;
  readonly license?: { readonly name: string; readonly url: string; readonly id: string };
  readonly coverage?: Coverage;
  readonly maintenance?: { readonly description: Prose; readonly frequency?: string };
  readonly methods?: {
    readonly steps: readonly MethodStep[];
    readonly extent?: Prose;
    readonly sampling?: Prose;
    readonly quality?: Prose;
  };
  readonly project?: {
    readonly title: string;
    readonly personnel: readonly Party[];
    readonly funding?: Prose;
    readonly awards?: readonly Award[];
  };
  readonly units?: readonly CustomUnit[];
  readonly entities: readonly EntityDescription[];
}

export type EmlVersion = "2.2.0" | "2.1.1" | "2.1.0";

export interface RevisionDescription {
  readonly revision: number;
  /** Upload time, UTC, `YYYY-MM-DDThh:mm:ss.SSS`. */
  readonly uploaded: string;
  /** When the DataONE replica was last touched, UTC; absent where there is no replica. */
  readonly replicated?: string;
  readonly eml?: EmlVersion;
  /** Oldest packages: entities carry no id in their EML. */
  readonly withoutEntityIds?: boolean;
  readonly withoutDoi?: boolean;
  /** Sources outside PASTA that its provenance records know beside those of the methods. */
  readonly externalSources?: readonly { readonly title: string; readonly url: string }[];
  /** Journal articles that cite the revision. */
  readonly articles?: readonly {
    readonly title: string;
    readonly doi: string;
    readonly journal: string;
  }[];
  /** Reads as `[total, by people]`: of the package, its metadata and each entity that was read. Derived where absent. */
  readonly reads?: readonly (readonly [number, number])[];
  readonly dataset: Dataset;
}

export interface SeriesDescription {
  readonly scope: string;
  readonly identifier: number;
  /** Owner in the form `uid=HBR,o=EDI,dc=edirepository,dc=org`. */
  readonly owner: string;
  readonly revisions: readonly RevisionDescription[];
  /** Revisions that were uploaded and deleted again, UTC times. */
  readonly deleted?: readonly {
    readonly revision: number;
    readonly uploaded: string;
    readonly deletedAt: string;
  }[];
}
