# SPDX-License-Identifier: GPL-2.0
# Stream files in, one C header out: every call as 0x<group><set><clear>

function finish()
{
	if (name == "")
		return
	printf "\n};\n\n"
	names[++files] = name
	counts[files] = calls
}

BEGIN {
	print "/* Made from the stream files by streams.awk */"
}

FNR == 1 {
	finish()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.[^.]*$/, "", name)
	calls = 0
	rest = ""
	printf "static const unsigned short psi_stream_%d[] = {", files + 1
}

/^#/ { next }

{
	gsub(/[ \t]/, "")
	rest = rest $0
	while (length(rest) >= 3) {
		if (calls++ % 8 == 0)
			printf "\n\t"
		printf "0x%s%s%s, ", substr(rest, 3, 1), substr(rest, 2, 1),
			substr(rest, 1, 1)
		rest = substr(rest, 4)
	}
}

END {
	finish()
	print "static const struct {"
	print "\tconst char *name;"
	print "\tconst unsigned short *steps;"
	print "\tunsigned int calls;"
	print "} psi_streams[] = {"
	for (i = 1; i <= files; i++)
		printf "\t{ \"%s\", psi_stream_%d, %d },\n", names[i], i,
			counts[i]
	print "\t{ }"
	print "};"
}
