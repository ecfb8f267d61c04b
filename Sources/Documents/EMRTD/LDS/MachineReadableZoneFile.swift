extension MachineReadableZone {
    /// Reads DG1 (Doc 9303-10 section 4.7.1).
    package init(dg1 file: Octets) throws(FormatError) {
        var reader = try FileName.dataGroup(1).content(of: file)
        let zone = try reader.read(0x5F1F).content
        try reader.finish()
        try self.init(zone)
    }
}
