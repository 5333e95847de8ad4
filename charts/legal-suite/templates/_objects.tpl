{{/* Loads the objects that the operator builds for default values into .Values.base, once per rendering. */}}
{{- define "legal.loadBase" -}}
{{- if not (hasKey .Values "base") -}}
{{- $text := .Files.Get "files/base.yaml"
    | replace "@name@" .Release.Name
    | replace "@namespace@" .Release.Namespace
    | replace "@version@" (include "legal.version" .)
    | replace "@image@" (include "legal.image" .) -}}
{{- $_ := set .Values "base" (fromYaml $text) -}}
{{- end -}}
{{- end -}}

{{- define "legal.version" -}}{{ .Values.version | default .Chart.AppVersion }}{{- end -}}

{{/* The image of Deno has the suffix -deno in its tag. A digest is used as it is. */}}
{{- define "legal.image" -}}
{{- $image := .Values.image | default "legal-suite" -}}
{{- if contains "@" $image -}}{{ $image }}
{{- else -}}{{ $image }}:{{ include "legal.version" . }}{{ if eq (.Values.runtime | default "Node") "Deno" }}-deno{{ end }}
{{- end -}}
{{- end -}}

{{/* Writes an object. With `keep` it stays when the release is uninstalled. With `handOver` the operator may adopt it. */}}
{{- define "legal.emit" -}}
{{- $object := .object -}}
{{- $_ := set $object.metadata.labels "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $annotations := dict -}}
{{- if or .root.Values.handOver (and .keep (ne (.root.Values.deletionPolicy | default "Retain") "Delete")) -}}
{{- $_ := set $annotations "helm.sh/resource-policy" "keep" -}}
{{- end -}}
{{- if .root.Values.handOver -}}{{- $_ := set $annotations "legalsuite.dev/adopt" "true" -}}{{- end -}}
{{- if $annotations -}}
{{- $_ := set $object.metadata "annotations" (merge (dict) $annotations ($object.metadata.annotations | default dict)) -}}
{{- end }}
---
{{ toYaml $object }}
{{- end -}}

{{/* The first 16 hex digits of the SHA-256 of the JSON with sorted keys, as the operator computes it. */}}
{{- define "legal.hash" -}}{{ . | toRawJson | sha256sum | trunc 16 }}{{- end -}}
