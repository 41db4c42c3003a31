"""What tests and `make figures` do with the sample site (`console.sample_site`)."""
